-- Policies, and what is reserved and spent under them. Money is micro-dollars; every time is policy.now().

-- The clock of this schema. The shift lets a test move the time of a database of its own; only a superuser can set
-- it, which no service ever is.
create table clock_shift (
  is_only boolean primary key default true check (is_only),
  shift interval not null
);
insert into clock_shift (shift) values ('0');

create function refuse_shift_by_services() returns trigger language plpgsql as $$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = session_user) then
    raise insufficient_privilege using message = 'only a superuser may shift the clock';
  end if;
  return new;
end
$$;
create trigger shifted_by_superusers_only before insert or update or delete on clock_shift
  for each row execute function refuse_shift_by_services();

create function now() returns timestamptz language sql volatile as $$
  select clock_timestamp() + shift from policy.clock_shift
$$;

-- Both tables are written by every reservation, and every check constraint costs each of them several microseconds:
-- only the one that would tell of a broken sum is here. Bounds of fields are the application's.
create table policies (
  agent_id uuid primary key,
  max_single_transaction_usd_micros bigint not null,
  daily_limit_usd_micros bigint not null,
  allowed_recipients text[] not null,
  allow_trading boolean not null,
  allow_liquidity_provision boolean not null,
  allow_prediction_markets boolean not null,
  session_expiration_hours integer not null,
  -- The sum of open reservations.
  reserved_usd_micros bigint not null default 0,
  -- The sum of what was settled after settled_since. Whoever holds the row's lock moves settled_since to the start of
  -- the window and takes what left it (or came back, should the clock step back) from the reservations in between, so
  -- that each settled row is read about once however many the window holds, and the sum stays exact.
  settled_usd_micros bigint not null default 0,
  settled_since timestamptz not null default '-infinity',
  constraint sums_are_not_negative check (least(reserved_usd_micros, settled_usd_micros) >= 0)
) with (fillfactor = 50);

create type attempt_state as enum ('open', 'settled', 'failed', 'dead');

-- One row for each attempt that was ever permitted. An operation has one reservation at a time: a further attempt is
-- made only after the one before is proven to have moved nothing.
create table reservations (
  operation_id uuid not null,
  step integer not null,
  attempt integer not null,
  -- An agent with a policy: no foreign key, because the only insert holds that policy's lock already.
  agent_id uuid not null,
  intent bytea not null,
  message_hash bytea not null,
  value_usd_micros bigint not null,
  state attempt_state not null default 'open',
  created_at timestamptz not null,
  settled_at timestamptz,
  -- What the owner of the operation showed while the outcome was open: lets policy find the outcome by itself.
  message bytea,
  signature bytea,
  next_check_at timestamptz not null,
  primary key (operation_id, step, attempt)
) with (fillfactor = 80);

create index reservations_settled on reservations (agent_id, settled_at) include (value_usd_micros)
  where state = 'settled';
create index reservations_due on reservations (next_check_at) where state = 'open';

-- Block heights that policy read by itself. A message that was hashed before a height was read carries a blockhash of
-- at most that height, which bounds its life without anybody's word.
create table chain_heads (
  height bigint primary key,
  slot bigint not null,
  first_known_at timestamptz not null,
  last_asked_at timestamptz not null
);
create index chain_heads_by_time on chain_heads (last_asked_at);
create index chain_heads_by_first_time on chain_heads (first_known_at);

-- The last price of each mint that was accepted for limits: digits / 10^scale dollars.
create table accepted_prices (
  mint text primary key,
  digits numeric not null check (digits > 0),
  scale integer not null check (scale >= 0),
  accepted_at timestamptz not null
);

create table outbox (
  id bigint generated always as identity primary key,
  event_id uuid not null unique,
  agent_id uuid not null,
  payload bytea not null
);

create function settled_between(agent uuid, after timestamptz, up_to timestamptz) returns bigint
language sql stable as $$
  select coalesce(sum(value_usd_micros), 0)::bigint from policy.reservations
  where agent_id = agent and state = 'settled' and settled_at > after and settled_at <= up_to
$$;

-- The rule that a transfer of this value breaks, in the order of the checks; null when it breaks none.
-- used: settled and reserved by others. A value equal to a limit is allowed; without a value nothing is.
create function broken_rule(p policies, recipient text, value_usd_micros bigint, used_usd_micros bigint) returns text
language plpgsql immutable as $$
begin
  if cardinality(p.allowed_recipients) > 0 and recipient <> all (p.allowed_recipients) then
    return 'recipient_not_allowed';
  end if;
  if value_usd_micros is null then
    return 'price_unavailable';
  end if;
  if value_usd_micros > p.max_single_transaction_usd_micros then
    return 'single_transaction_limit';
  end if;
  if used_usd_micros + value_usd_micros > p.daily_limit_usd_micros then
    return 'daily_limit';
  end if;
  return null;
end
$$;

-- How much the sum of settled values changes when its start moves: less what leaves it, plus what comes back.
create function settled_shift(agent uuid, old_start timestamptz, new_start timestamptz) returns bigint
language plpgsql stable as $$
begin
  if new_start > old_start then
    return -policy.settled_between(agent, old_start, new_start);
  end if;
  return policy.settled_between(agent, new_start, old_start);
end
$$;

-- When the oldest settled value leaves the window; null when nothing is in it.
create function resets_at(agent uuid, window_start timestamptz) returns timestamptz language sql stable as $$
  select min(settled_at) + interval '24 hours' from policy.reservations
  where agent_id = agent and state = 'settled' and settled_at > window_start
$$;

-- Decides requests of one agent, one after the other, and reserves what it grants: the only way to reserve. One row
-- for each request, in order; no row when the agent has no policy. verdict: granted, the rule that refuses, or a
-- conflict. A repeat of an open attempt is granted for the reservation it has, if the policy in force now still allows
-- it. Changes of the policy, other decisions and settlements of the agent wait for the lock, and this one for theirs.
-- A unique violation means that another agent, or a request in the same call, took the attempt meanwhile.
create function authorize(
  agent uuid, operation_ids uuid[], steps integer[], attempts integer[], intents bytea[], message_hashes bytea[],
  recipients text[], values_usd_micros bigint[], first_check_after interval
) returns table (
  verdict text, granted_usd_micros bigint, max_single_usd_micros bigint, daily_usd_micros bigint,
  settled_usd bigint, reserved_usd bigint, window_starts_at timestamptz, window_resets_at timestamptz
) language plpgsql volatile as $$
declare
  p policy.policies;
  known policy.reservations;
  at timestamptz;
  own bigint;
  prior_state policy.attempt_state;
  granted integer[] := '{}';
begin
  select * into p from policy.policies where agent_id = agent for no key update;
  if not found then return; end if;
  -- Statements of their own from here on: their snapshots are younger than the lock.
  at := policy.now();
  window_starts_at := at - interval '24 hours';
  p.settled_usd_micros := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_starts_at);
  max_single_usd_micros := p.max_single_transaction_usd_micros;
  daily_usd_micros := p.daily_limit_usd_micros;
  settled_usd := p.settled_usd_micros;
  for i in 1 .. cardinality(operation_ids) loop
    verdict := null;
    granted_usd_micros := values_usd_micros[i];
    window_resets_at := null;
    own := 0;
    select * into known from policy.reservations r
      where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i];
    if found then
      granted_usd_micros := known.value_usd_micros;
      own := known.value_usd_micros;
      verdict := case
        when known.agent_id <> agent then 'conflict_other_agent'
        when known.message_hash <> message_hashes[i] then 'conflict_other_message'
        when known.intent <> intents[i] then 'conflict_other_intent'
        when known.state <> 'open' then 'conflict_attempt_is_over'
      end;
    elsif attempts[i] > 1 then
      select r.state into prior_state from policy.reservations r
        where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i] - 1
          and r.agent_id = agent;
      if not found or prior_state not in ('failed', 'dead') then
        verdict := 'conflict_prior_attempt_may_land';
      end if;
    end if;
    if verdict is null then
      verdict := policy.broken_rule(
        p, recipients[i], granted_usd_micros, p.settled_usd_micros + p.reserved_usd_micros - own);
    end if;
    if verdict is null then
      verdict := 'granted';
      if own = 0 then
        granted := granted || i;
        p.reserved_usd_micros := p.reserved_usd_micros + granted_usd_micros;
      end if;
    elsif verdict = 'daily_limit' then
      window_resets_at := policy.resets_at(agent, window_starts_at);
    end if;
    reserved_usd := p.reserved_usd_micros;
    return next;
  end loop;
  if granted <> '{}' then
    insert into policy.reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros,
      created_at, next_check_at)
    select t.operation_id, t.step, t.attempt, agent, t.intent, t.message_hash, t.value_usd_micros, at,
      at + first_check_after
    from unnest(operation_ids, steps, attempts, intents, message_hashes, values_usd_micros)
      with ordinality as t (operation_id, step, attempt, intent, message_hash, value_usd_micros, n)
    where n = any (granted);
  end if;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_starts_at
  where t.agent_id = agent;
end
$$;

-- Ends open attempts of one agent with outcomes that were read from the chain: settled, failed or dead. The first
-- outcome stays. One row for each, in order: the state the attempt is in.
create function conclude(agent uuid, operation_ids uuid[], steps integer[], attempts integer[], outcomes text[])
returns table (final_state text) language plpgsql volatile as $$
declare
  p policy.policies;
  at timestamptz;
  window_start timestamptz;
  amount bigint;
begin
  select * into p from policy.policies where agent_id = agent for no key update;
  if not found then return; end if;
  at := policy.now();
  window_start := at - interval '24 hours';
  p.settled_usd_micros := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_start);
  for i in 1 .. cardinality(operation_ids) loop
    final_state := outcomes[i];
    update policy.reservations r
      set state = outcomes[i]::policy.attempt_state, settled_at = case outcomes[i] when 'settled' then at end,
        message = null, signature = null
      where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i]
        and r.agent_id = agent and r.state = 'open'
      returning r.value_usd_micros into amount;
    if found then
      p.reserved_usd_micros := p.reserved_usd_micros - amount;
      if outcomes[i] = 'settled' then p.settled_usd_micros := p.settled_usd_micros + amount; end if;
    else
      select r.state::text into final_state from policy.reservations r
        where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i]
          and r.agent_id = agent;
    end if;
    return next;
  end loop;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_start
  where t.agent_id = agent;
end
$$;

-- What authorize would decide on a new operation, at this statement's snapshot, without a lock and without a trace. No
-- row when the agent has no policy.
create function foresee(agent uuid, recipient text, value_usd_micros bigint) returns table (
  verdict text, granted_usd_micros bigint, max_single_usd_micros bigint, daily_usd_micros bigint,
  settled_usd bigint, reserved_usd bigint, window_starts_at timestamptz, window_resets_at timestamptz
) language plpgsql stable as $$
declare
  p policy.policies;
begin
  select * into p from policy.policies where agent_id = agent;
  if not found then return; end if;
  window_starts_at := policy.now() - interval '24 hours';
  settled_usd := p.settled_usd_micros + policy.settled_shift(agent, p.settled_since, window_starts_at);
  reserved_usd := p.reserved_usd_micros;
  max_single_usd_micros := p.max_single_transaction_usd_micros;
  daily_usd_micros := p.daily_limit_usd_micros;
  granted_usd_micros := value_usd_micros;
  verdict := coalesce(policy.broken_rule(p, recipient, value_usd_micros, settled_usd + reserved_usd), 'granted');
  window_resets_at := policy.resets_at(agent, window_starts_at);
  return next;
end
$$;
