-- What the operator's sponsor pays is reserved with the value; an operator can freeze an agent, or everything.

-- Columns with constant defaults: nothing is rewritten, and an attempt of a wallet that pays for itself costs no more.
alter table reservations
  -- Network fee and rent that the sponsor pays at most.
  add column sponsored_lamports bigint not null default 0,
  -- Whether rent of somebody else's account is among them.
  add column sponsors_account boolean not null default false,
  -- When the lamports were spent: 'infinity' while that is open, null when there are none or they were released. So
  -- whatever counts is one range of one index, from the start of the window to infinity.
  add column sponsored_at timestamptz;

create index reservations_sponsored on reservations (agent_id, sponsored_at)
  include (sponsored_lamports, sponsors_account) where sponsored_at is not null;
create index reservations_sponsored_by_all on reservations (sponsored_at) include (sponsored_lamports)
  where sponsored_at is not null;

-- The whole deployment's sum of sponsored lamports that are open or were spent after sponsored_since, which moves like
-- settled_since of a policy. Whoever changes what it sums up holds the row's lock, taken after that of the policy.
create table sponsorship (
  is_only boolean primary key default true check (is_only),
  sponsored_lamports bigint not null default 0 check (sponsored_lamports >= 0),
  sponsored_since timestamptz not null default '-infinity'
) with (fillfactor = 10);
insert into sponsorship default values;

-- Bounds of sponsorship, as the settings of the service have them.
create type sponsorship_bounds as (
  lamports_per_transaction bigint,
  accounts_per_agent_day bigint,
  lamports_per_agent_day bigint,
  lamports_per_day bigint
);

-- What is frozen now: an agent, or everything under the nil UUID. Whoever grants reads this table for key share, which
-- locks the table in row share mode until the transaction ends, and whoever changes it locks it in exclusive mode first:
-- so each waits for the other. Postgres takes the lock before the snapshot of the statement, so that what waited sees
-- the change. Plain readers, a backup among them, wait for nobody and hold nobody up.
create table freezes (
  agent_id uuid primary key,
  operator text not null,
  reason text not null,
  since timestamptz not null
);

-- How much the deployment's sum changes when its start moves: less what leaves it, plus what comes back.
create function sponsored_shift(old_start timestamptz, new_start timestamptz) returns bigint language sql stable as $$
  select coalesce(sum(case when new_start > old_start then -sponsored_lamports else sponsored_lamports end), 0)::bigint
  from policy.reservations
  where sponsored_at > least(old_start, new_start) and sponsored_at <= greatest(old_start, new_start)
$$;

-- Locks the deployment's sum until the transaction ends, moves it to a window, and tells it.
create function lock_sponsorship(window_start timestamptz) returns bigint language plpgsql volatile as $$
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

-- What of the sponsor's counts for one agent.
create function sponsored_for(agent uuid, window_start timestamptz, out lamports bigint, out accounts bigint)
language sql stable as $$
  select coalesce(sum(sponsored_lamports), 0)::bigint, count(*) filter (where sponsors_account)
  from policy.reservations where agent_id = agent and sponsored_at > window_start
$$;

-- The bound of sponsorship that is passed by so many lamports more; null when none is. What equals a bound is allowed.
create function passed_bound(
  bounds sponsorship_bounds, lamports bigint, makes_account boolean, agents_lamports bigint, agents_accounts bigint,
  all_lamports bigint
) returns text language sql immutable as $$
  select case
    when lamports > bounds.lamports_per_transaction then 'sponsored_per_transaction'
    when makes_account and agents_accounts >= bounds.accounts_per_agent_day then 'sponsored_accounts_per_agent_day'
    when agents_lamports + lamports > bounds.lamports_per_agent_day then 'sponsored_per_agent_day'
    when all_lamports + lamports > bounds.lamports_per_day then 'sponsored_per_day'
  end
$$;
