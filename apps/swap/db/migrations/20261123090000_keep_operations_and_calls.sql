create table outbox (
  id bigint generated always as identity primary key,
  event_id uuid not null unique,
  agent_id uuid not null,
  payload bytea not null
);

-- One row for each operation, made before anything is done for it and never removed.
create table operations (
  id uuid primary key,
  agent_id uuid not null,
  action text not null,
  -- What was asked for: a repeat must ask for the same.
  request jsonb not null,
  request_id text not null,
  state text not null default 'pending'
    check (state in ('pending', 'submitted', 'confirmed', 'failed', 'expired', 'rejected')),
  -- Counts the changes that history was told of.
  revision integer not null default 0,
  -- What the request was resolved to; null before that.
  plan jsonb,
  -- The error that the caller is answered, for good.
  error jsonb,
  created_at_ms bigint not null,
  -- When the present outcome was found.
  decided_at timestamptz,
  -- Rises with every change of hands: a write under an older fence is refused.
  fence bigint not null default 1,
  owner uuid not null,
  -- From when on anyone may take the row: the end of the lease, or the next visit. Null when nothing is left to do.
  due_at timestamptz
);

create index operations_due on operations (due_at) where due_at is not null;

-- Every message that was ever built for an operation. A row is stored before a permit is asked for, and its message is
-- never replaced: another message is another attempt.
create table attempts (
  operation_id uuid not null references operations (id),
  step smallint not null check (step > 0),
  attempt smallint not null check (attempt > 0),
  state text not null default 'built' check (state in ('built', 'submitted', 'landed', 'failed', 'dead', 'abandoned')),
  intent bytea not null,
  message bytea not null,
  -- Unique: two operations with the same bytes would share one signature, and so one effect.
  message_hash bytea not null unique,
  -- The 32-byte addresses that lookup tables bring into the message, one after the other.
  resolved_addresses bytea not null default '',
  last_valid_block_height bigint not null,
  network_fee_lamports bigint not null,
  -- A slot that had passed when the message was built; only of a message that somebody else signs too.
  since_slot bigint,
  -- The first signature, which names the transaction. Somebody else's is not known before it is found on chain.
  signature bytea,
  -- The signed bytes, as they are sent; zeros where somebody else will sign.
  transaction bytea,
  slot bigint,
  -- The chain's own error, as JSON text.
  chain_error text,
  -- Whether nothing can change this outcome any more.
  finalized boolean not null default false,
  -- Whether policy has settled or released what was reserved.
  settled boolean not null default false,
  primary key (operation_id, step, attempt),
  check (signature is null or transaction is not null)
);

-- Questions to the aggregator that all copies of the service ask together. It counts them in a window of a minute that
-- slides, so they are counted by the second.
create table asked_seconds (
  second bigint primary key,
  questions integer not null
) with (fillfactor = 50);

-- Until when the aggregator wants to be left alone, for questions and for executions.
create table aggregator_pauses (
  what text primary key check (what in ('ask', 'execute')),
  until_at timestamptz not null default '-infinity'
);
insert into aggregator_pauses (what) values ('ask'), ('execute');

-- Takes one question out of the allowance. Answers how long to wait until that can be tried again, in milliseconds; 0
-- when it is taken. Counters may be lost with the database's machine, so that nobody waits for a disk.
create function take_question(allowance integer) returns integer language plpgsql as $$
declare
  now_at timestamptz;
  this_second bigint;
  pause timestamptz;
  asked integer;
  oldest bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- The row is the turn: one copy counts at a time.
  select until_at into pause from aggregator_pauses where what = 'ask' for update;
  now_at := clock_timestamp();
  if pause > now_at then
    return ceil(extract(epoch from pause - now_at) * 1000);
  end if;
  this_second := floor(extract(epoch from now_at));
  delete from asked_seconds where second <= this_second - 61;
  select coalesce(sum(questions), 0), min(second) into asked, oldest from asked_seconds;
  if asked >= allowance then
    return greatest(1, (oldest + 61 - extract(epoch from now_at)) * 1000)::integer;
  end if;
  insert into asked_seconds as s (second, questions) values (this_second, 1)
    on conflict (second) do update set questions = s.questions + 1;
  return 0;
end
$$;
