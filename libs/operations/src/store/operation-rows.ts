import { intentV1 } from '@agent-wallet/contracts';
import type {
  AttemptRecord,
  AttemptState,
  OperationRecord,
  OperationState,
  RequestedApproval,
} from '../records/operation.js';
import { fromRecordedError, type RecordedError } from '../records/recorded-error.js';
import type { OperationCodec } from '../handlers/json-codec.js';
import type { Handler } from '../handlers/handler.js';

/** A handler's name, and the codec of its requests and plans. */
export type StoredHandler<Request = unknown, Plan = unknown> = Pick<Handler<Request, Plan>, 'action' | 'codec'>;

/** Requests and plans between records and rows: no other code turns one into JSON, or reads one. */
export class Codecs {
  readonly #codecs: ReadonlyMap<string, OperationCodec<unknown, unknown>>;

  constructor(handlers: readonly StoredHandler[]) {
    this.#codecs = new Map(handlers.map(({ action, codec }) => [action, codec]));
  }

  /** Encodes the request for the column `request`. @throws Error for an action that this service does not have */
  encodeRequest({ action, request }: Pick<OperationRecord, 'action' | 'request'>): string {
    return JSON.stringify(this.#codecOf(action).request.encode(request));
  }

  /**
   * Encodes the plan for the column `plan`; null without a plan.
   * @throws Error for an action that this service does not have
   */
  encodePlan({ action, plan }: Pick<OperationRecord, 'action' | 'plan'>): string | null {
    return plan === undefined ? null : JSON.stringify(this.#codecOf(action).plan.encode(plan));
  }

  /**
   * Decodes request and plan of a row. For an action that this service does not have, returns the request's JSON and no
   * plan.
   * @throws UnreadableJson
   */
  decode({ action, request, plan }: Pick<OperationRow, 'action' | 'request' | 'plan'>) {
    const codec = this.#codecs.get(action);
    if (!codec) return { request, plan: undefined };
    return { request: codec.request.decode(request), plan: plan === null ? undefined : codec.plan.decode(plan) };
  }

  #codecOf(action: string): OperationCodec<unknown, unknown> {
    const codec = this.#codecs.get(action);
    if (!codec) throw new Error(`operations of ${action} cannot be stored here`);
    return codec;
  }
}

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
  readonly approval: RequestedApproval | null;
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

/** Makes a record of a row. @throws UnreadableJson */
export function toRecord(row: OperationRow, codecs: Pick<Codecs, 'decode'>): OperationRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    action: row.action,
    requestId: row.request_id,
    state: row.state,
    revision: row.revision,
    ...codecs.decode(row),
    error: row.error ? fromRecordedError(row.error) : undefined,
    createdAtMs: Number(row.created_at_ms),
    fence: BigInt(row.fence),
    approval: row.approval ?? undefined,
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
