import { intentV1 } from '@agent-wallet/contracts';
import type { AttemptRecord, AttemptState, OperationRecord, OperationState } from '../records/operation.js';
import type { Plans } from './plans.js';
import { fromRecordedError, type RecordedError } from '../records/recorded-error.js';

/** An operation with its latest attempt, as `pg` reads it: int8 comes as text. */
export interface OperationRow {
  readonly id: string;
  readonly agent_id: string;
  readonly action: string;
  readonly request: unknown;
  readonly request_id: string;
  readonly state: OperationState;
  readonly revision: number;
  readonly plan: unknown;
  readonly error: RecordedError | null;
  readonly created_at_ms: string;
  readonly fence: string;
  readonly step: number | null;
  readonly attempt: number;
  readonly attempt_state: AttemptState;
  readonly intent: Buffer;
  readonly message: Buffer;
  readonly message_hash: Buffer;
  readonly resolved_addresses: Buffer;
  readonly last_valid_block_height: string;
  readonly network_fee_lamports: string;
  readonly since_slot: string | null;
  readonly signature: Buffer | null;
  readonly transaction: Buffer | null;
  readonly permit_id: string | null;
  readonly ephemeral_key: Buffer | null;
  readonly countersignature: Buffer | null;
  readonly slot: string | null;
  readonly chain_error: string | null;
  readonly finalized: boolean;
  readonly settled: boolean;
}

/** Columns of an OperationRow, of operations `o` and attempts `a`. */
export const COLUMNS = `o.id, o.agent_id, o.action, o.request, o.request_id, o.state, o.revision, o.plan, o.error,
  o.created_at_ms, o.fence, a.step, a.attempt, a.state as attempt_state, a.intent, a.message, a.message_hash,
  a.resolved_addresses, a.last_valid_block_height, a.network_fee_lamports, a.since_slot, a.signature, a.transaction,
  a.permit_id, a.ephemeral_key, a.countersignature, a.slot, a.chain_error, a.finalized, a.settled`;

/** Joins the latest attempt `a` of the latest step to operations `o`. */
export const JOIN_ATTEMPT = `left join lateral (
  select * from attempts where operation_id = o.id order by step desc, attempt desc limit 1) a on true`;

/** Makes a record of a row. @throws UnreadablePlan */
export function toRecord(row: OperationRow, plans: Pick<Plans, 'decode'>): OperationRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    action: row.action,
    request: row.request,
    requestId: row.request_id,
    state: row.state,
    revision: row.revision,
    plan: plans.decode(row),
    error: row.error ? fromRecordedError(row.error) : undefined,
    createdAtMs: Number(row.created_at_ms),
    fence: BigInt(row.fence),
    attempt: row.step === null ? undefined : toAttempt(row, row.step),
  };
}

function toAttempt(row: OperationRow, step: number): AttemptRecord {
  return {
    step,
    attempt: row.attempt,
    state: row.attempt_state,
    intent: intentV1.Intent.decode(row.intent),
    message: row.message,
    messageHash: row.message_hash,
    resolvedAddresses: addressesOf(row.resolved_addresses),
    lastValidBlockHeight: Number(row.last_valid_block_height),
    networkFeeLamports: BigInt(row.network_fee_lamports),
    sinceSlot: row.since_slot === null ? undefined : Number(row.since_slot),
    signature: row.signature ?? undefined,
    transaction: row.transaction ?? undefined,
    countersignature: toCountersignature(row),
    slot: row.slot === null ? undefined : Number(row.slot),
    chainError: row.chain_error ?? undefined,
    finalized: row.finalized,
    settled: row.settled,
  };
}

function toCountersignature(row: OperationRow): AttemptRecord['countersignature'] {
  const { permit_id: permitId, ephemeral_key: ephemeralKey, countersignature: signature } = row;
  return permitId && ephemeralKey && signature ? { permitId, ephemeralKey, signature } : undefined;
}

const ADDRESS_BYTES = 32;

/** Takes apart what {@link joinedAddresses} put together. */
function addressesOf(joined: Buffer): Uint8Array[] {
  return Array.from({ length: joined.length / ADDRESS_BYTES }, (_, i) =>
    joined.subarray(i * ADDRESS_BYTES, (i + 1) * ADDRESS_BYTES),
  );
}

/** Addresses of 32 bytes, one after the other. */
export function joinedAddresses(addresses: readonly Uint8Array[]): Buffer {
  if (addresses.some(({ length }) => length !== ADDRESS_BYTES)) throw new TypeError('an address has 32 bytes');
  return Buffer.concat(addresses);
}
