-- Escrows take an agent's money to the operator's treasury, and payouts bring it back: an escrow counts to the same
-- limits as a payment, less what its operation has paid back; all payouts together have a limit of the deployment.

-- Columns without defaults: nothing is rewritten, and an attempt that moves nothing to or from the treasury costs no more.
alter table reservations
  -- Base units that an escrow takes, and what they were valued at: value_usd_micros is what of it still counts.
  add column escrowed_amount bigint,
  add column escrowed_usd_micros bigint,
  -- Base units that a payout brings. Its value_usd_micros is 0: to get money takes nothing of the agent's limits.
  add column payout_amount bigint,
  -- When they were paid: 'infinity' while that is open, null when they were released. So whatever counts is one range of
  -- one index, from the start of the window to infinity.
  add column paid_out_at timestamptz;

create index reservations_paid_out on reservations (paid_out_at) include (payout_amount) where paid_out_at is not null;

-- The whole deployment's sum of payouts that are open or were made after paid_out_since, which moves like settled_since of
-- a policy. Whoever changes what it sums up holds the row's lock, taken after those of the policy and of sponsorship.
create table payouts (
  is_only boolean primary key default true check (is_only),
  paid_out_amount bigint not null default 0 check (paid_out_amount >= 0),
  paid_out_since timestamptz not null default '-infinity'
);
insert into payouts default values;

-- How much that sum changes when its start moves: less what leaves it, plus what comes back.
create function paid_out_shift(old_start timestamptz, new_start timestamptz) returns bigint language sql stable as $$
  select coalesce(sum(case when new_start > old_start then -payout_amount else payout_amount end), 0)::bigint
  from policy.reservations
  where paid_out_at > least(old_start, new_start) and paid_out_at <= greatest(old_start, new_start)
$$;

-- Locks that sum until the transaction ends, moves it to a window, and tells it.
create function lock_payouts(window_start timestamptz) returns bigint language plpgsql volatile as $$
declare
  s policy.payouts;
begin
  select * into s from policy.payouts for no key update;
  -- A statement of its own: its snapshot is younger than the lock.
  update policy.payouts t
    set paid_out_amount = s.paid_out_amount + policy.paid_out_shift(s.paid_out_since, window_start),
      paid_out_since = window_start
    returning t.paid_out_amount into s.paid_out_amount;
  return s.paid_out_amount;
end
$$;

-- When the oldest settled value leaves the window; null when nothing is in it.
create or replace function resets_at(agent uuid, window_start timestamptz) returns timestamptz language sql stable as $$
  select min(settled_at) + interval '24 hours' from policy.reservations
  where agent_id = agent and state = 'settled' and settled_at > window_start and value_usd_micros > 0
$$;

-- What of an escrow still counts once so much of it came back: its share of the value, rounded up.
create function value_left(value_usd_micros bigint, escrowed bigint, came_back numeric) returns bigint
language sql immutable as $$
  select div(value_usd_micros * greatest(escrowed - came_back, 0) + escrowed - 1, escrowed::numeric)::bigint
$$;

-- Takes the share that settled payouts of an operation brought back off what counts of its escrow, if it has one that is
-- open or settled. How much less counts among what is reserved, and among what is settled in the window; whoever calls
-- holds the lock of the agent's policy, and takes both off its sums.
create function true_down(
  agent uuid, operation uuid, window_start timestamptz, out less_reserved bigint, out less_settled bigint
) language plpgsql volatile as $$
declare
  escrow policy.reservations;
  left_usd_micros bigint;
begin
  less_reserved := 0;
  less_settled := 0;
  select * into escrow from policy.reservations r
    where r.operation_id = operation and r.agent_id = agent and r.escrowed_amount is not null
      and r.state in ('open', 'settled');
  if not found then return; end if;
  select policy.value_left(escrow.escrowed_usd_micros, escrow.escrowed_amount, sum(r.payout_amount))
    into left_usd_micros from policy.reservations r
    where r.operation_id = operation and r.agent_id = agent and r.state = 'settled';
  update policy.reservations r set value_usd_micros = left_usd_micros
    where r.operation_id = operation and r.step = escrow.step and r.attempt = escrow.attempt;
  if escrow.state = 'open' then
    less_reserved := escrow.value_usd_micros - left_usd_micros;
  elsif escrow.settled_at > window_start then
    less_settled := escrow.value_usd_micros - left_usd_micros;
  end if;
end
$$;

-- Ends open attempts of one agent with outcomes that were read from the chain: settled, failed or dead. The first
-- outcome stays. One row for each, in order: the state the attempt is in. A sponsor has paid for what failed, too. A
-- payout that is settled takes its share off what counts of the same operation's escrow.
create or replace function conclude(
  agent uuid, operation_ids uuid[], steps integer[], attempts integer[], outcomes text[]
) returns table (final_state text) language plpgsql volatile as $$
declare
  p policy.policies;
  at timestamptz;
  window_start timestamptz;
  amount bigint;
  lamports bigint;
  payout bigint;
  less record;
  paid integer[] := '{}';
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
      returning r.value_usd_micros, r.sponsored_lamports, r.payout_amount into amount, lamports, payout;
    if found then
      p.reserved_usd_micros := p.reserved_usd_micros - amount;
      if outcomes[i] = 'settled' then p.settled_usd_micros := p.settled_usd_micros + amount; end if;
      if lamports > 0 then
        -- The sum is at this window first, so that the row is in it before and, unless released, after.
        perform policy.lock_sponsorship(window_start);
        update policy.reservations r set sponsored_at = case when outcomes[i] <> 'dead' then at end
          where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i];
        if outcomes[i] = 'dead' then
          update policy.sponsorship s set sponsored_lamports = s.sponsored_lamports - lamports;
        end if;
      end if;
      if payout is not null then paid := paid || i; end if;
      if payout is not null and outcomes[i] = 'settled' then
        select * into less from policy.true_down(agent, operation_ids[i], window_start);
        p.reserved_usd_micros := p.reserved_usd_micros - less.less_reserved;
        p.settled_usd_micros := p.settled_usd_micros - less.less_settled;
      end if;
    else
      select r.state::text into final_state from policy.reservations r
        where r.operation_id = operation_ids[i] and r.step = steps[i] and r.attempt = attempts[i]
          and r.agent_id = agent;
    end if;
    return next;
  end loop;
  if paid <> '{}' then
    -- As with sponsorship: the sum is at this window first. It is locked after that of sponsorship, here as in authorize.
    perform policy.lock_payouts(window_start);
    with ended as (
      update policy.reservations r set paid_out_at = case when r.state = 'settled' then at end
      from unnest(paid) as n
      where r.operation_id = operation_ids[n] and r.step = steps[n] and r.attempt = attempts[n]
      returning case when r.state = 'settled' then 0 else r.payout_amount end as released)
    update policy.payouts s
      set paid_out_amount = s.paid_out_amount - (select sum(released) from ended)::bigint;
  end if;
  update policy.policies t set reserved_usd_micros = p.reserved_usd_micros, settled_usd_micros = p.settled_usd_micros,
    settled_since = window_start
  where t.agent_id = agent;
end
$$;
