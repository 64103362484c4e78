-- What stands between an operation and a further escrow or payout of it; null for nothing. An operation belongs to one
-- agent, and an escrow comes before its payouts; what these bring together is at most what is in escrow.
create or replace function move_conflict(agent uuid, operation uuid, kind spending, amount numeric) returns text
language sql stable as $$
  select case
    when bool_or(agent_id <> agent) then 'conflict_other_agent'
    when kind = 'escrow' and sum(payout_amount) filter (where state in ('open', 'settled')) > 0
      then 'conflict_escrow_after_payout'
    when kind = 'payout' and count(escrowed_amount) > 0
      and coalesce(sum(payout_amount) filter (where state in ('open', 'settled')), 0) + amount
        > coalesce(sum(escrowed_amount) filter (where state in ('open', 'settled')), 0)
      then 'conflict_payout_beyond_escrow'
  end
  from policy.reservations where operation_id = operation
$$;

-- What of an escrow still counts once so much of it came back: its share of the value, rounded up.
create or replace function value_left(value_usd_micros bigint, escrowed numeric, came_back numeric) returns bigint
language sql immutable as $$
  select div(value_usd_micros * greatest(escrowed - came_back, 0) + escrowed - 1, escrowed)::bigint
$$;

-- Takes the share that settled payouts of an operation brought back off what counts of its escrow, if it has one that is
-- open or settled. How much less counts among what is reserved, and among what is settled in the window; the caller
-- holds the lock of the agent's policy, and takes both off its sums.
create or replace function reduce_reservation(
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

-- Takes the settled payouts of operations off the sum of payouts, each once, where settled escrows of the same operation
-- brought at least as much as all of them paid. What has left the window is not in the sum any more. The caller holds
-- the lock of the agent's policy; the sum is locked last, and only where something changes.
create or replace function cover_payouts(agent uuid, operations uuid[], window_start timestamptz) returns void
language plpgsql volatile as $$
declare
  covered uuid[];
begin
  select array_agg(o.operation_id) into covered from (
    select r.operation_id from policy.reservations r
    where r.operation_id = any (operations) and r.agent_id = agent and r.state = 'settled'
    group by r.operation_id
    having count(r.payout_amount) filter (where not r.payout_covered) > 0
      and sum(r.payout_amount) <= sum(r.escrowed_amount)) as o;
  if covered is null then return; end if;
  perform policy.lock_payouts(window_start);
  with taken_off as (
    update policy.reservations r set payout_covered = true
    where r.operation_id = any (covered) and r.agent_id = agent and r.state = 'settled'
      and r.payout_amount is not null and not r.payout_covered
    returning case when r.paid_out_at > window_start then r.payout_amount else 0 end as amount)
  update policy.payouts s set paid_out_amount = s.paid_out_amount - (select sum(amount) from taken_off);
end
$$;

-- How much the sum of payouts changes when its start moves: less what leaves it, plus what comes back.
create or replace function paid_out_shift(old_start timestamptz, new_start timestamptz) returns numeric
language sql stable as $$
  select coalesce(sum(case when new_start > old_start then -payout_amount else payout_amount end), 0)
  from policy.reservations
  where paid_out_at > least(old_start, new_start) and paid_out_at <= greatest(old_start, new_start)
    and not payout_covered
$$;

-- The bound of payouts that so much more exceeds; null when it does not. What equals the bound is allowed.
create or replace function exceeded_treasury_bound(paid_out numeric, amount numeric, payouts_per_day numeric) returns text
language sql immutable as $$
  select case when paid_out + amount > payouts_per_day then 'treasury_daily_limit' end
$$;

-- Locks that sum until the transaction ends, moves it to a window, and returns it.
create or replace function lock_payouts(window_start timestamptz) returns numeric language plpgsql volatile as $$
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

-- Counts the moves that the agents of a mailbox have started: escrows, and payouts of operations without an
-- escrow, from their permit on. What expired does not count, and neither does an escrow that failed, which leads to no
-- refund. The number is exact under the lock of lock_treasury_moves alone.
create or replace function treasury_moves_of(p policies, window_start timestamptz) returns bigint
language sql stable as $$
  select coalesce(sum(started.moves), 0)::bigint
  from (select p.agent_id union select o.agent_id from policy.policies o where o.mailbox_id = p.mailbox_id) as agents,
    -- So that each agent costs one search of reservations_treasury_moves.
    lateral (select count(*) as moves from policy.reservations r
      where r.agent_id = agents.agent_id and coalesce(r.escrowed_amount, r.payout_amount) is not null
        and r.created_at > window_start and r.state <> 'expired'
        and case when r.escrowed_amount is not null then r.state <> 'failed'
          else not policy.has_escrow(r.operation_id) end) as started
$$;

-- Returns whether an operation has had an escrow: its payouts are refunds.
create or replace function has_escrow(operation uuid) returns boolean language sql stable as $$
  select exists (select from policy.reservations r where r.operation_id = operation and r.escrowed_amount is not null)
$$;

-- Returns the bound of moves that a request exceeds; null when it does not. A refund is owed and always passes.
create or replace function exceeded_treasury_moves(
  bounds operator_bounds, p policies, q reservation_request, window_start timestamptz
) returns text language sql stable as $$
  select case when (q.kind = 'escrow' or (q.kind = 'payout' and not policy.has_escrow(q.operation_id)))
    and policy.treasury_moves_of(p, window_start) >= bounds.treasury_moves_per_agent_day then 'treasury_moves_per_day' end
$$;

-- Locks the moves of a mailbox until the transaction ends, because the lock of the policy does not stop its other agents.
-- Taken after those of the policy and of approvals, before that of sponsorship.
create or replace function lock_treasury_moves(p policies) returns void language sql volatile as $$
  select pg_advisory_xact_lock(7214016, hashtext(encode(p.mailbox_id, 'hex'))) where p.mailbox_id is not null
$$;
