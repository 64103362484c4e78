/** The statements of recoveries. */

export const IS_KNOWN = 'select from database_identity where identity = database_identity()';

/** One row, of nulls where none is open. */
export const OPEN = `
  select r.id, r.since_slot, r.last_height, r.read_at_slot, r.wallets_reported,
    exists (select from recovered_transactions) as is_any_counted
  from (select) as one left join recoveries r on r.ended_at is null`;

/** recovery, addresses, agents */
export const ADD_WALLETS = `
  insert into recovery_scans (address, agent_id)
  select address, agent_id from unnest($2::text[], $3::uuid[]) as reported (address, agent_id)
  where exists (select from recoveries where id = $1 and ended_at is null)
  on conflict do nothing`;

/** limit, lease */
export const CLAIM_WALLETS = `
  with due as (
    select address from recovery_scans where due_at <= (select policy.now()) order by due_at limit $1
    for update skip locked)
  update recovery_scans w set due_at = policy.now() + $2::interval from due where w.address = due.address
  returning w.address, w.agent_id`;

// What landed without an error is settled or open, and was not settled before it landed.
/** hashes, agent */
export const KNOWN_OF_AGENT = `
  select message_hash from reservations where agent_id = $2 and state = 'settled' and message_hash = any ($1)
    and settled_at > (select since from recoveries where ended_at is null)
  union all
  select message_hash from reservations where agent_id = $2 and state = 'open' and message_hash = any ($1)`;

/** hashes */
export const KNOWN_OF_OPERATOR = `
  select message_hash from reservations where message_hash = any ($1)
    and sponsored_at > (select since from recoveries where ended_at is null)
  union all
  select message_hash from reservations where message_hash = any ($1)
    and paid_out_at > (select since from recoveries where ended_at is null)`;

/** recovery */
export const END = `
  update recoveries r set ended_at = policy.now(),
    treasury_frozen = (select has_moved from payouts)
  where id = $1 and ended_at is null and wallets_reported and read_at_slot is not null
    and not exists (select from recovery_scans where due_at is not null)
  returning (select count(*) from recovered_transactions t where t.recovery_id = r.id) as counted`;

// What they have moved was not read.
export const FREEZE_UNNAMED = `
  insert into freezes (agent_id, operator, reason, since)
  select p.agent_id, 'recovery', 'no wallet of this agent was named to be read: see ops recovery status', policy.now()
  from policies p where not exists (select from recovery_scans w where w.agent_id = p.agent_id)
  on conflict do nothing`;

// Services poll it: without the count of wallets it reads what is frozen now, and nothing that grows.
/** whether to count wallets */
export const STATUS = `
  select r.id, r.reason, r.started_at, r.ended_at, r.last_height, r.read_at_slot, r.wallets_reported,
    (r.id is not null and r.ended_at is null) or not exists (${IS_KNOWN}) as is_recovering,
    case when $1::boolean then (select count(*) from recovery_scans) else 0 end as wallet_count,
    case when $1::boolean then (select count(*) from recovery_scans where due_at is null) else 0 end as read_count,
    exists (select from recoveries where treasury_frozen) as is_treasury_held,
    array(select distinct f.agent_id from freezes f
      where exists (select from recovered_transactions t where t.agent_id = f.agent_id)
      order by f.agent_id limit 1000) as held_agents
  from (select) as one left join lateral (
    select id, reason, started_at, ended_at, last_height, read_at_slot, wallets_reported
    from recoveries order by id desc limit 1) r on true`;

/** limit */
export const COUNTED = `
  select t.signature, t.slot, t.landed_at, t.agent_id, t.value_usd_micros,
    exists (select from freezes f where f.agent_id = t.agent_id) as is_frozen
  from recovered_transactions t order by t.recovery_id desc, t.slot limit $1`;
