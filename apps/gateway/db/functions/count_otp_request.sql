-- Whether one more code may be mailed, and what its caller gets when it may not.
--
-- A network that has logged in to the mailbox has an allowance of its own. All other networks share one for each owner that
-- codes name. Who finds both spent gets an id of a code that is live, with tries of its own: the mailbox has the code. While
-- none can be had so, one long code is mailed, which lives an hour. It is too long to guess, so its ids need no bound,
-- and strangers cannot keep the holder out. A client that spends a whole allowance and asks for more is blocked, longer each time. Shared
-- windows that are used up without a login get longer, too.
--
-- Verdicts: mail; delay (mail it later, in turn); live (mail nothing, the id stands for a live code); or the limit that
-- refuses it: email, addresses, mailbox. charge is the allowance that a mail is counted in: known, shared, long.
create or replace function count_otp_request(
  fresh_id uuid, mail text, code_purpose text, owner text, mailbox_name text, asker_client text, asker_network text,
  allowance integer, address_allowance integer, mailbox_allowance integer, mails_allowance integer, wrong_allowance integer,
  now_at timestamptz
) returns table (verdict text, charge text, is_known boolean, remaining integer, resets_at timestamptz) language plpgsql as $$
declare
  pair login_blocks;
  pool login_pools;
  own_end timestamptz;
  own integer;
  is_guessed boolean;
begin
  insert into login_blocks as b (email, purpose, client, touched_at) values (mail, code_purpose, asker_client, now_at)
    on conflict (email, purpose, client) do update set touched_at = now_at
    returning * into pair;
  is_known := exists (select from login_networks as n where n.mailbox = mailbox_name and n.network = asker_network);
  remaining := 0;
  own_end := case when pair.window_resets_at > now_at then pair.window_resets_at else now_at + escalated(0) end;
  own := case when pair.window_resets_at > now_at then pair.requested else 0 end;
  if pair.blocked_until > now_at or own >= allowance then
    verdict := 'email';
    resets_at := pair.blocked_until;
    if coalesce(pair.blocked_until <= now_at, true) then
      update login_blocks as b set
        level = least(pair.level + 1, 4),
        blocked_until = now_at + escalated(pair.level)
        where b.email = mail and b.purpose = code_purpose and b.client = asker_client
        returning b.blocked_until into resets_at;
    end if;
    return next;
    return;
  end if;

  is_guessed := exists (
    select from rate_windows as w
    where w.key = 'wrong-mailbox:' || mailbox_name and w.taken >= wrong_allowance and w.resets_at > now_at);
  if is_known and not is_guessed then
    pool := lock_login_pool(mail, code_purpose, '', asker_network, allowance, now_at);
    if pool.taken < allowance and (
      select t.taken from take('known:' || code_purpose || ':' || mailbox_name, interval '1 hour', now_at) as t
    ) <= mailbox_allowance then
      verdict := 'mail';
      charge := 'known';
    end if;
  end if;
  if verdict is null then
    pool := lock_login_pool(mail, code_purpose, coalesce(owner, ''), '', allowance, now_at);
    if pool.taken < allowance and not is_guessed then
      select c.verdict, c.resets_at into verdict, resets_at
        from count_strangers_mail(pair, pool, mailbox_name, address_allowance, mailbox_allowance, mails_allowance, now_at) as c;
      charge := 'shared';
    end if;
  end if;
  if verdict in ('mail', 'delay') then
    update login_pools as p set taken = p.taken + 1, asked_at = now_at where p.id = pool.id;
    remaining := allowance - pool.taken - 1;
    resets_at := pool.resets_at;
  elsif verdict is null then
    charge := 'long';
    if lend_live_otp(fresh_id, pool, is_guessed, now_at) then
      verdict := 'live';
      resets_at := pool.resets_at;
    else
      select c.verdict, coalesce(c.resets_at, pool.resets_at) into verdict, resets_at
        from count_long_mail(pair, pool, mailbox_name, asker_network, address_allowance, mails_allowance, now_at) as c;
    end if;
  end if;
  if verdict in ('mail', 'delay', 'live') then
    update login_blocks as b set requested = own + 1, window_resets_at = own_end
      where b.email = mail and b.purpose = code_purpose and b.client = asker_client;
  end if;
  return next;
end
$$;

-- Returns the length of a block or window after so many before it; the fourth and later ones last as long.
create or replace function escalated(level integer) returns interval language sql immutable as $$
  select (array[interval '10 minutes', interval '1 hour', interval '6 hours', interval '24 hours'])[least(level, 3) + 1]
$$;

-- Locks what one known network, or all other networks, have asked for of an address, and begins the next window when one is
-- over. Windows of known networks get no longer.
create or replace function lock_login_pool(
  mail text, code_purpose text, named_owner text, known_network text, allowance integer, now_at timestamptz
) returns login_pools language plpgsql as $$
declare
  pool login_pools;
begin
  insert into login_pools as p (email, purpose, owner, network, resets_at)
    values (mail, code_purpose, named_owner, known_network, now_at + escalated(0))
    on conflict (email, purpose, owner, network) do update set taken = p.taken
    returning * into pool;
  if pool.resets_at > now_at then
    return pool;
  end if;
  pool.level := case
    when known_network = '' and pool.taken >= allowance and pool.resets_at > now_at - interval '1 day'
    then least(pool.level + 1, 3)
    else 0 end;
  update login_pools as p set
    taken = 0,
    lent = 0,
    level = pool.level,
    resets_at = now_at + escalated(pool.level)
    where p.id = pool.id
    returning * into pool;
  return pool;
end
$$;

-- Makes an id stand for a code of the shared allowance: a long one, or else the short one mailed last. It has tries of its
-- own, so that nothing that others send to the code's own id ends it. Short codes get twenty ids of a window at most: each
-- allows guesses at the code. A long one that waits for its turn counts as mailed.
create or replace function lend_live_otp(fresh_id uuid, pool login_pools, is_guessed boolean, now_at timestamptz)
returns boolean language plpgsql as $$
declare
  code otps;
begin
  select o.* into code from otps as o
    where o.email = pool.email and o.purpose = pool.purpose and coalesce(o.owner_email, '') = pool.owner
      and o.asker is null and o.alias_of is null and o.used_at is null and o.expires_at > now_at + interval '1 minute'
      and (o.mailed_at is not null or o.is_long and exists (select from mail_queue as q where q.otp_id = o.otp_id))
      and (o.is_long or pool.lent < 20 and not is_guessed)
    order by o.is_long desc, o.created_at desc limit 1;
  if not found then
    return false;
  end if;
  insert into otps (otp_id, email, code_hash, created_at, expires_at, purpose, owner_email, is_long, alias_of)
    values (fresh_id, code.email, '', now_at, code.expires_at, code.purpose, code.owner_email, code.is_long, code.otp_id);
  update login_pools as p set lent = p.lent + 1 where p.id = pool.id and not code.is_long;
  return true;
end
$$;

-- Counts a mail of the shared allowance, against the addresses of the network, the mails of the mailbox and those of the
-- deployment. verdict is null when the mailbox's are spent: a long code can still be mailed.
create or replace function count_strangers_mail(
  pair login_blocks, pool login_pools, mailbox_name text, address_allowance integer, mailbox_allowance integer,
  mails_allowance integer, now_at timestamptz, out verdict text, out resets_at timestamptz
) language plpgsql as $$
declare
  win record;
begin
  resets_at := count_address(pair, address_allowance, now_at);
  if resets_at is not null then
    verdict := 'addresses';
    return;
  end if;
  -- Variants of an address, and owners to name, can be invented without end.
  if pair.email <> mailbox_name or pool.owner <> '' then
    select t.taken into win from take('mailbox:' || pair.purpose || ':' || mailbox_name, interval '1 hour', now_at) as t;
    if win.taken > mailbox_allowance then
      return;
    end if;
  end if;
  verdict := take_mail_turn(mails_allowance, now_at);
end
$$;

-- Counts a long code. One is mailed only while no other code is on its way. Of those for variants of an address or for named
-- owners, a network gets one an hour, and a mailbox 120.
create or replace function count_long_mail(
  pair login_blocks, pool login_pools, mailbox_name text, asker_network text, address_allowance integer,
  mails_allowance integer, now_at timestamptz, out verdict text, out resets_at timestamptz
) language plpgsql as $$
declare
  win record;
  window_key text := 'long:' || pair.purpose || ':' || mailbox_name;
begin
  if pool.asked_at > now_at - interval '30 seconds' and not exists (
    select from otps as o
    where o.email = pool.email and o.purpose = pool.purpose and coalesce(o.owner_email, '') = pool.owner
      and o.asker is null and o.alias_of is null and o.created_at >= pool.asked_at
      and (o.mailed_at is not null or exists (select from mail_queue as q where q.otp_id = o.otp_id))
  ) then
    verdict := 'email';
    resets_at := pool.asked_at + interval '30 seconds';
    return;
  end if;
  resets_at := count_address(pair, address_allowance, now_at);
  if resets_at is not null then
    verdict := 'addresses';
    return;
  end if;
  if pair.email <> mailbox_name or pool.owner <> '' then
    select t.taken, t.resets_at into win from take(window_key || ':' || asker_network, interval '1 hour', now_at) as t;
    if win.taken = 1 then
      select t.taken - 119 as taken, t.resets_at into win from take(window_key, interval '1 hour', now_at) as t;
    end if;
    if win.taken > 1 then
      verdict := 'mailbox';
      resets_at := win.resets_at;
      return;
    end if;
  end if;
  update login_pools as p set asked_at = now_at where p.id = pool.id;
  verdict := take_mail_turn(mails_allowance, now_at);
end
$$;

-- Counts an address among those of its client. Returns the end of the hour when there are too many, else null.
create or replace function count_address(pair login_blocks, address_allowance integer, now_at timestamptz)
returns timestamptz language plpgsql as $$
declare
  win record;
begin
  if pair.counted_until > now_at then
    return null;
  end if;
  select t.taken, t.resets_at into win from take('addresses:' || pair.client, interval '1 hour', now_at) as t;
  if win.taken > address_allowance then
    return win.resets_at;
  end if;
  update login_blocks as b set counted_until = win.resets_at
    where b.email = pair.email and b.purpose = pair.purpose and b.client = pair.client;
  return null;
end
$$;

-- Counts a mail of the deployment's minute. Who comes later than mails that wait takes a turn like them.
create or replace function take_mail_turn(mails_allowance integer, now_at timestamptz) returns text language plpgsql as $$
declare
  win record;
begin
  if exists (select from mail_queue as q where q.tries = 0 and not q.is_known) then
    return 'delay';
  end if;
  select t.taken into win from take('mails', interval '1 minute', now_at) as t;
  return case when win.taken > mails_allowance then 'delay' else 'mail' end;
end
$$;
