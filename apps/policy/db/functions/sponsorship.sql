-- Whether a payment brings its recipient at least the value of the rent that its account costs the sponsor: the recipient
-- can close the account and keep the rent. False without both values. The next attempt at a payment is decided as the one
-- before, regardless of prices that have moved since.
create or replace function is_worth_rent(agent uuid, q reservation_request) returns boolean language sql stable as $$
  select coalesce(q.received_usd_micros >= q.rent_usd_micros, false) or exists (
    select from policy.reservations r
    where r.operation_id = q.operation_id and r.step = q.step and r.attempt = q.attempt - 1 and r.agent_id = agent
      and r.sponsors_account and (r.target, r.sent_mint, r.sent_amount) = (q.target, q.sent_mint, q.sent_amount))
$$;

-- The bound of sponsorship that a request exceeds; null when none is. What equals a bound is allowed. The last quarter of
-- what is for all is for mailboxes that have taken no more than a quarter of theirs, so that those who came first leave some
-- to those who come later.
create or replace function exceeded_bound(
  bounds operator_bounds, agent uuid, q reservation_request, agents_lamports bigint, agents_accounts bigint,
  all_lamports bigint
) returns text language sql stable as $$
  select case
    when q.lamports > bounds.lamports_per_transaction then 'sponsored_per_transaction'
    when q.makes_account and not policy.is_worth_rent(agent, q) then 'sponsored_payment_below_rent'
    when q.makes_account and agents_accounts >= bounds.accounts_per_agent_day then 'sponsored_accounts_per_agent_day'
    when agents_lamports + q.lamports > bounds.lamports_per_agent_day then 'sponsored_per_agent_day'
    when all_lamports + q.lamports > bounds.lamports_per_day then 'sponsored_per_day'
    when all_lamports + q.lamports > bounds.lamports_per_day * 3 / 4
      and agents_lamports + q.lamports > bounds.lamports_per_agent_day / 4 then 'sponsored_per_day'
  end
$$;

-- Sums what the agents of a mailbox have taken from the sponsor, which counts for each of them. The sum is exact under the lock of
-- lock_sponsorship alone, because that of the policy does not stop the other agents.
create or replace function sponsored_for(p policies, window_start timestamptz, out lamports bigint, out accounts bigint)
language sql stable as $$
  select coalesce(sum(taken.lamports), 0)::bigint, coalesce(sum(taken.accounts), 0)::bigint
  from (select p.agent_id union select o.agent_id from policy.policies o where o.mailbox_id = p.mailbox_id) as agents,
    -- So that each agent costs one search of reservations_sponsored.
    lateral (select sum(r.sponsored_lamports) as lamports, count(*) filter (where r.sponsors_account) as accounts
      from policy.reservations r where r.agent_id = agents.agent_id and r.sponsored_at > window_start) as taken
$$;

-- How much the deployment's sum changes when its start moves: less what leaves it, plus what comes back.
create or replace function sponsored_shift(old_start timestamptz, new_start timestamptz) returns bigint
language sql stable as $$
  select coalesce(sum(case when new_start > old_start then -sponsored_lamports else sponsored_lamports end), 0)::bigint
  from policy.reservations
  where sponsored_at > least(old_start, new_start) and sponsored_at <= greatest(old_start, new_start)
$$;

-- Locks the deployment's sum until the transaction ends, moves it to a window, and returns it.
create or replace function lock_sponsorship(window_start timestamptz) returns bigint language plpgsql volatile as $$
declare
  s policy.sponsorship;
begin
  select * into s from policy.sponsorship for no key update;
  -- A statement of its own: its snapshot is younger than the lock.
  update policy.sponsorship t
    set sponsored_lamports = s.sponsored_lamports + policy.sponsored_shift(s.sponsored_since, window_start),
      sponsored_since = window_start
    returning t.sponsored_lamports into s.sponsored_lamports;
  return s.sponsored_lamports;
end
$$;
