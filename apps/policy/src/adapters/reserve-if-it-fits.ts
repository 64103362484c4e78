import type { EventRecord } from '@agent-wallet/events';
import type pg from 'pg';
import type { Queryable } from '@agent-wallet/platform';
import type { Grant } from '../domain/decision.js';
import type { ReservationRequest } from '../ports/ledger.js';

const UNIQUE_VIOLATION = '23505';

// Grants only what `authorize` would grant: the settled sum that is kept is never less than the true one while its start
// is not after that of the window. In one statement the lock, the sum and the row cost a third of the function.
const RESERVE_IF_IT_FITS = `
  with clock as materialized (
    select clock_timestamp() + shift as at from clock_shift where may_permit(array[$10::spending])),
  fitting as (
    update policies set reserved_usd_micros = reserved_usd_micros + $8::bigint from clock
    where agent_id = $1
      and case $10::spending when 'trade' then allow_trading
        when 'payment' then allowed_recipients = '{}' or $7::text = any (allowed_recipients) end
      and $8 <= max_single_transaction_usd_micros
      and settled_usd_micros + reserved_usd_micros + $8 <= daily_limit_usd_micros
      and settled_since <= at - interval '24 hours'
      and not exists (select from freezes f where f.agent_id in ($1, '00000000-0000-0000-0000-000000000000') for key share)
    returning agent_id, at),
  made as (
    insert into reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, created_at,
      next_check_at)
    select $2, $3, $4, agent_id, $5, $6, $8, at, at + $9::interval from fitting returning agent_id)
  insert into outbox (event_id, agent_id, payload) select $11, agent_id, $12 from made`;

/** A request, and the event that tells that it was granted. */
export type ToldRequest = ReservationRequest & { readonly event: EventRecord };

/** Whether the statement knows all rules that it takes. */
function isOrdinary({ kind, recipientIsOffCurve, sponsorship }: ReservationRequest): boolean {
  return (kind === 'payment' || kind === 'trade') && !recipientIsOffCurve && sponsorship === undefined;
}

/**
 * Reserves for the first attempt of an operation when it is plain that all limits allow it. Undefined says nothing:
 * `authorize` decides then, and explains. So it does for an attempt that is known already, of which nothing is changed.
 */
export async function reserveIfItFits(
  database: Queryable,
  request: ToldRequest,
  firstCheckAfter: string,
): Promise<Grant | undefined> {
  const { agentId, operationId, step, attempt, intent, messageHash, kind, recipient, valueUsdMicros, event } = request;
  if (attempt !== 1 || valueUsdMicros === undefined || !isOrdinary(request)) return undefined;
  const statement: pg.QueryConfig = {
    name: 'policy-reserve-if-it-fits',
    text: RESERVE_IF_IT_FITS,
    values: [
      ...[agentId, operationId, step, attempt, Buffer.from(intent), Buffer.from(messageHash)],
      ...[recipient ?? null, valueUsdMicros, firstCheckAfter, kind, event.eventId, event.payload],
    ],
  };
  try {
    const { rowCount } = await database.query(statement);
    return rowCount === 1 ? { verdict: 'granted', valueUsdMicros } : undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}
