// The statements of the operation store: each is one round trip, and atomic by itself.

/** Columns of an OperationRow, of operations `o` and attempts `a`. */
export const COLUMNS = `o.id, o.agent_id, o.action, o.request, o.request_id, o.state, o.revision, o.plan, o.error,
  o.created_at_ms, o.fence, o.approval, a.step, a.attempt, a.state as attempt_state, a.intent, a.message, a.message_hash,
  a.resolved_addresses, a.last_valid_block_height, a.network_fee_lamports, a.since_slot, a.signature, a.transaction,
  a.permit_id, a.ephemeral_key, a.countersignature, a.slot, a.chain_error, a.finalized, a.settled`;

/** Joins the latest attempt `a` of the latest step to operations `o`. */
export const JOIN_ATTEMPT = `left join lateral (
  select * from attempts where operation_id = o.id order by step desc, attempt desc limit 1) a on true`;

const LEASE = (parameter: string) => `clock_timestamp() + ${parameter}::integer * interval '1 millisecond'`;

/** id, agent, action, request, request id, created, owner, lease */
export const INSERT = `
  insert into operations (id, agent_id, action, request, request_id, created_at_ms, owner, due_at)
  values ($1, $2, $3, $4::jsonb, $5, $6, $7, ${LEASE('$8')})
  on conflict (id) do nothing`;

/** id, agent, action, request, request id, created, owner; state, revision, error, event id, payload */
export const INSERT_ENDED = `
  with op as (
    insert into operations (id, agent_id, action, request, request_id, created_at_ms, owner, state, revision, error,
      decided_at)
    values ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10::jsonb, clock_timestamp())
    on conflict (id) do nothing returning agent_id)
  insert into outbox (event_id, agent_id, payload)
  select $11::uuid, agent_id, $12::bytea from op where $11::uuid is not null`;

/**
 * id, fence, revision, plan, step, attempt, intent, message, hash, height, fee, event id, payload, lease, resolved
 * addresses, since slot
 */
export const ADD_ATTEMPT = `
  with op as (
    update operations set state = 'pending', revision = $3, plan = $4::jsonb, due_at = ${LEASE('$14')}
    where id = $1 and fence = $2 and state in ('pending', 'awaiting_approval') returning id, agent_id),
  att as (
    insert into attempts (operation_id, step, attempt, intent, message, message_hash, last_valid_block_height,
      network_fee_lamports, resolved_addresses, since_slot)
    select id, $5, $6, $7, $8, $9, $10, $11, $15, $16 from op),
  ev as (
    insert into outbox (event_id, agent_id, payload)
    select $12::uuid, agent_id, $13::bytea from op where $12::uuid is not null)
  select count(*)::integer as changed from op`;

/**
 * id, fence, state, revision, plan, error, what is next, lease; step, attempt and the columns of the attempt; event id
 * and payload; permit, boot and countersignature; the approval, and when to ask about it. Who parks keeps no lease. The
 * attempt is named by the id besides: a plan made for a small table would visit every attempt to join it.
 */
export const CHANGE = `
  with op as (
    update operations set state = $3, revision = $4, plan = $5::jsonb, error = $6::jsonb, approval = $23::jsonb,
      decided_at = case when $7 in ('open', 'parked') then null else clock_timestamp() end,
      fence = fence + case when $7 = 'parked' then 1 else 0 end,
      due_at = case $7::text when 'open' then ${LEASE('$8')} when 'visit' then clock_timestamp()
        when 'parked' then ${LEASE('$24')} end
    where id = $1 and fence = $2 returning id, agent_id),
  att as (
    update attempts set state = $11, signature = $12, transaction = $13, slot = $14, chain_error = $15, finalized = $16,
      settled = $17, permit_id = $20, ephemeral_key = $21, countersignature = $22
    from op where operation_id = $1 and operation_id = op.id and step = $9::smallint and attempt = $10::smallint),
  ev as (
    insert into outbox (event_id, agent_id, payload)
    select $18::uuid, agent_id, $19::bytea from op where $18::uuid is not null)
  select count(*)::integer as changed from op`;

const claim = (condition: string) => `
  with due as (
    select id from operations
    where due_at <= (select clock_timestamp()) and action = any($4::text[]) and state <> 'awaiting_approval' ${condition}
    order by due_at limit $3 for update skip locked),
  o as (
    update operations set owner = $1, fence = fence + 1, due_at = ${LEASE('$2')}, is_unreadable = false
    from due where operations.id = due.id returning operations.*)
  select ${COLUMNS} from o ${JOIN_ATTEMPT}`;

/** owner, lease, limit, the actions that we know how to drive */
export const CLAIM = claim('');

/**
 * {@link CLAIM}, then whether all is held, and the held agents. Held operations are taken only with an outcome or a
 * signed message.
 */
export const CLAIM_BUT_HELD = claim(`and (state not in ('pending', 'submitted')
      or exists (select from attempts a where a.operation_id = operations.id and a.transaction is not null)
      or not ($5::boolean or agent_id = any($6::uuid[])))`);

/**
 * limit, actions, whether all is held, or of which agents, least and most milliseconds. Takes no lease: who asks about these
 * approvals leaves them alone for a quarter of their age.
 */
export const CLAIM_AWAITING = `
  with due as (
    select id from operations where state = 'awaiting_approval' and due_at <= (select clock_timestamp())
      and action = any($2::text[]) and not ($3::boolean or agent_id = any($4::uuid[]))
    order by due_at limit $1 for update skip locked)
  update operations o set due_at = clock_timestamp() + least(greatest(
    (extract(epoch from clock_timestamp()) * 1000 - created_at_ms) / 4, $5::integer), $6::integer)
    * interval '1 millisecond'
  from due where o.id = due.id returning o.id, o.fence, o.approval`;

/** owner, lease, id, fence */
export const TAKE_AWAITING = `
  with o as (
    update operations set owner = $1, fence = fence + 1, due_at = ${LEASE('$2')}, is_unreadable = false
    where id = $3 and fence = $4 and state = 'awaiting_approval' returning operations.*)
  select ${COLUMNS} from o ${JOIN_ATTEMPT}`;

/** ids, fences, for how long. A worker that has it meanwhile keeps it. */
export const PARK = `
  update operations o set is_unreadable = true, due_at = ${LEASE('$3')}
  from unnest($1::uuid[], $2::bigint[]) as parked (id, fence)
  where o.id = parked.id and o.fence = parked.fence and o.due_at is not null`;

/**
 * ids, fences, lease. Who has a row locked is writing it: that one is left alone, and no other worker takes it meanwhile,
 * so that a write that takes long costs no other operation its lease.
 */
export const RENEW = `
  with held as (select * from unnest($1::uuid[], $2::bigint[]) as h (id, fence)),
  free as (
    select o.id from operations o join held h on o.id = h.id and o.fence = h.fence
    where o.state in ('pending', 'awaiting_approval', 'submitted') for update of o skip locked),
  renewed as (update operations o set due_at = ${LEASE('$3')} from free where o.id = free.id)
  select o.id from operations o join held h on o.id = h.id and o.fence = h.fence
  where o.state in ('pending', 'awaiting_approval', 'submitted')`;

/** ids, fences */
export const RELEASE = `
  update operations o set fence = o.fence + 1, due_at = clock_timestamp()
  from unnest($1::uuid[], $2::bigint[]) as held (id, fence)
  where o.id = held.id and o.fence = held.fence and o.due_at is not null`;

/** ids, fences, steps, attempts, whether final, whether settled. The older an outcome, the rarer the visits. */
export const NOTE_VISITS = `
  with visit as (
    select * from unnest($1::uuid[], $2::bigint[], $3::smallint[], $4::smallint[], $5::boolean[], $6::boolean[])
      as v (id, fence, step, attempt, finalized, settled)),
  op as (
    update operations o set due_at = case when not (v.finalized and v.settled) then clock_timestamp()
      + least(greatest(clock_timestamp() - o.decided_at, interval '1 second'), interval '1 minute') end
    from visit v where o.id = v.id and o.fence = v.fence returning o.id)
  update attempts a set finalized = v.finalized, settled = v.settled
  from visit v join op on op.id = v.id
  where a.operation_id = v.id and a.step = v.step and a.attempt = v.attempt`;

/** accepted until, limit */
export const LIST_OPEN = `
  select ${COLUMNS} from operations o ${JOIN_ATTEMPT}
  where o.due_at is not null and o.state in ('pending', 'submitted') and o.created_at_ms <= $1
  order by o.created_at_ms limit $2`;

/** after id, before id, limit */
export const LIST_REVISIONS = `
  select id, agent_id as "agentId", action, state, revision from operations
  where id > $1 and id < $2 and revision > 0 order by id limit $3`;
