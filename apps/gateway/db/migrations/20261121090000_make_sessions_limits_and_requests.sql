-- Who logs in. The address is kept when the wallet service has made the wallet.
create table agents (
  id uuid primary key,
  email text not null unique,
  address text,
  created_at timestamptz not null,
  first_login_at timestamptz
);

-- A token is good while its session is here, not revoked and not over.
create table sessions (
  id uuid primary key,
  agent_id uuid not null references agents (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_by_end on sessions (expires_at);

-- One mailed code. While a login with the right code is under way it is claimed; the claim lapses with its process.
create table passcodes (
  otp_id uuid primary key,
  email text not null,
  code_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  attempts integer not null default 0,
  claimed_by uuid,
  claimed_until timestamptz,
  used_at timestamptz
);
create index passcodes_of_an_email on passcodes (email, created_at);
create index passcodes_by_end on passcodes (expires_at);

-- Counters of windows that begin with their first request.
create table rate_windows (
  key text primary key,
  taken integer not null,
  resets_at timestamptz not null
) with (fillfactor = 50);
create index rate_windows_by_end on rate_windows (resets_at);

-- What one client address asked for one e-mail address, and how often it went too far.
create table login_blocks (
  email text not null,
  client text not null,
  requested integer not null default 0,
  window_resets_at timestamptz,
  level integer not null default 0,
  blocked_until timestamptz,
  touched_at timestamptz not null,
  primary key (email, client)
);

-- Every financial request: its key, the operation it stands for, and the final answer.
create table requests (
  operation_id uuid primary key,
  agent_id uuid not null,
  idempotency_key text,
  request_hash bytea not null,
  action text not null,
  input text not null,
  state text not null check (state in ('claimed', 'submitted', 'final')),
  fence integer not null default 1,
  leased_until timestamptz not null,
  look_at timestamptz not null,
  looks integer not null default 0,
  signature text not null default '',
  answer_status integer,
  answer_message text,
  answer_data text,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((state = 'final') = (finished_at is not null and answer_status is not null and answer_data is not null)),
  unique (agent_id, idempotency_key)
);
create index requests_left_open on requests (look_at) where state <> 'final';
create index requests_by_end on requests (finished_at) where state = 'final';

create table outbox (
  id bigint generated always as identity primary key,
  event_id uuid not null unique,
  agent_id uuid not null,
  payload bytea not null
);

-- Counts one request in a window and says where it stands now.
create function take(window_key text, window_length interval, now_at timestamptz)
returns table (taken integer, resets_at timestamptz) language sql as $$
  insert into rate_windows as w (key, taken, resets_at) values (window_key, 1, now_at + window_length)
  on conflict (key) do update set
    taken = case when w.resets_at <= now_at then 1 else least(w.taken, 1000000) + 1 end,
    resets_at = case when w.resets_at <= now_at then now_at + window_length else w.resets_at end
  returning taken, resets_at
$$;

-- One request at the door, in one round trip: its client address is counted, its session looked up, its agent counted.
-- What is refused at one step is not counted at the next. Counters may be lost with the database's machine, so that
-- nobody waits for a disk.
create function admit(
  client text, client_limit integer, session_id uuid, session_agent uuid, agent_limit integer, now_at timestamptz
) returns table (
  client_taken integer, client_resets_at timestamptz, session_good boolean,
  agent_taken integer, agent_resets_at timestamptz
) language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  select t.taken, t.resets_at into client_taken, client_resets_at
    from take('client:' || client, interval '1 minute', now_at) as t;
  if client_taken <= client_limit and session_id is not null then
    session_good := exists (
      select 1 from sessions as s
      where s.id = session_id and s.agent_id = session_agent and s.revoked_at is null and s.expires_at > now_at
    );
    if session_good then
      select t.taken, t.resets_at into agent_taken, agent_resets_at
        from take('agent:' || session_agent, interval '1 minute', now_at) as t;
    end if;
  end if;
  return next;
end
$$;

-- Whether one more passcode may be mailed. The allowance belongs to the e-mail address; the client address that spent
-- all of it and asks for more is blocked, longer each time. Somebody else's greed costs the owner the window's rest at
-- most.
create function take_passcode_request(mail text, asker text, allowance integer, now_at timestamptz)
returns table (allowed boolean, remaining integer, resets_at timestamptz) language plpgsql as $$
declare
  pair login_blocks;
  win record;
  own integer;
begin
  insert into login_blocks as b (email, client, touched_at) values (mail, asker, now_at)
    on conflict (email, client) do update set touched_at = now_at
    returning * into pair;
  allowed := false;
  remaining := 0;
  resets_at := pair.blocked_until;
  if pair.blocked_until > now_at then
    return next;
    return;
  end if;
  select t.taken, t.resets_at into win from take('start:' || mail, interval '10 minutes', now_at) as t;
  own := case when pair.window_resets_at = win.resets_at then pair.requested else 0 end;
  if win.taken <= allowance then
    update login_blocks as b set requested = own + 1, window_resets_at = win.resets_at
      where b.email = mail and b.client = asker;
    allowed := true;
    remaining := allowance - win.taken;
    resets_at := win.resets_at;
  elsif own < allowance then
    resets_at := win.resets_at;
  else
    update login_blocks as b set
      level = least(pair.level + 1, 4),
      blocked_until = now_at
        + (array[interval '10 minutes', interval '1 hour', interval '6 hours', interval '24 hours'])[least(pair.level + 1, 4)]
      where b.email = mail and b.client = asker
      returning b.blocked_until into resets_at;
  end if;
  return next;
end
$$;

-- One try at a passcode. Counted before it is compared, so that parallel guesses count one by one; tries at an id that
-- does not exist are counted as well.
create function try_passcode(id uuid, allowance integer, now_at timestamptz)
returns table (counted boolean, email text, code_hash bytea, usable boolean, remaining integer, resets_at timestamptz)
language plpgsql as $$
declare
  win record;
  code passcodes;
begin
  select p.* into code from passcodes as p where p.otp_id = id for update;
  if not found then
    select t.taken, t.resets_at into win from take('complete:' || id, interval '10 minutes', now_at) as t;
    counted := win.taken <= allowance;
    remaining := greatest(allowance - win.taken, 0);
    resets_at := win.resets_at;
  else
    counted := code.attempts < allowance;
    remaining := greatest(allowance - code.attempts - 1, 0);
    resets_at := greatest(code.expires_at, now_at + interval '1 second');
    if counted then
      update passcodes as p set attempts = p.attempts + 1 where p.otp_id = id;
      email := code.email;
      code_hash := code.code_hash;
      usable := code.used_at is null and code.expires_at > now_at;
    end if;
  end if;
  return next;
end
$$;
