-- The bound of sponsorship that so many lamports more exceed; null when none is. What equals a bound is allowed.
create or replace function exceeded_bound(
  bounds operator_bounds, lamports bigint, makes_account boolean, agents_lamports bigint, agents_accounts bigint,
  all_lamports bigint
) returns text language sql immutable as $$
  select case
    when lamports > bounds.lamports_per_transaction then 'sponsored_per_transaction'
    when makes_account and agents_accounts >= bounds.accounts_per_agent_day then 'sponsored_accounts_per_agent_day'
    when agents_lamports + lamports > bounds.lamports_per_agent_day then 'sponsored_per_agent_day'
    when all_lamports + lamports > bounds.lamports_per_day then 'sponsored_per_day'
  end
$$;

-- What of the sponsor's counts for one agent.
create or replace function sponsored_for(agent uuid, window_start timestamptz, out lamports bigint, out accounts bigint)
language sql stable as $$
  select coalesce(sum(sponsored_lamports), 0)::bigint, count(*) filter (where sponsors_account)
  from policy.reservations where agent_id = agent and sponsored_at > window_start
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
