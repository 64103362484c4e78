/** States of a record that lists show (specification 2.4). */
const SHOWN_STATUSES = [
  'pending',
  'awaiting_approval',
  'submitted',
  'confirmed',
  'failed',
  'expired',
  'rejected_by_policy',
  'rejected_by_owner',
  'cancelled',
] as const;

/** States of a record: those that lists show, and `dropped`, shown only by latest change. */
export type TransactionStatus = (typeof SHOWN_STATUSES)[number] | 'dropped';

/** Reports whether a text is a status that lists show. */
export function isShownStatus(text: string): text is (typeof SHOWN_STATUSES)[number] {
  return SHOWN_STATUSES.some((status) => status === text);
}

/** A record of history: an operation in its latest known state, or something that happened once. */
export interface TransactionRecord {
  /** The operation's id, or the event's for what is not an operation (UUID). */
  readonly id: string;
  readonly agentId: string;
  /** Rises with every change of the operation. */
  readonly revision: number;
  /** `transfer`, `deposit`, `policy_update` … */
  readonly action: string;
  readonly status: TransactionStatus;
  /** The status that agents see: `cancelled` in place of `confirmed` for an order that filled nothing. */
  readonly shownStatus: TransactionStatus;
  /** Symbol; empty where there is none. */
  readonly asset: string;
  /** Base units; undefined where there is no amount. */
  readonly amount: bigint | undefined;
  readonly decimals: number;
  /** Address; empty where there is none. */
  readonly recipient: string;
  /** Base58; empty while none is known. */
  readonly signature: string;
  /** A serialized `OperationFacts`: the fields that are specific to the action. */
  readonly facts: Uint8Array;
  /** USDC in the escrow of an order; undefined for all else, and until it is known. */
  readonly escrow?: Escrow | undefined;
  /** Memo, ticker and symbols in lower case: the text that a search reads. */
  readonly searchText: string;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** Time of the event that this revision came with, in Unix milliseconds. */
  readonly updatedAtMs: number;
}

/** USDC that an order took, in base units. */
interface Escrow {
  readonly amount: bigint;
  /** Part that came back to the wallet. */
  readonly returned: bigint;
}

/** A record and the value that policy counted for it. */
export interface ValuedRecord extends TransactionRecord {
  /** Micro-dollars; undefined unless it is confirmed and policy has settled it. */
  readonly valueUsdMicros?: bigint | undefined;
}

/** A value that policy settled for an attempt of an operation. */
export interface SettledValue {
  /** The operation (UUID). */
  readonly id: string;
  readonly agentId: string;
  readonly usdMicros: bigint;
}

/** Returns the sum of each operation. An ID belongs to the agent that used it first. */
export function sumSettled(values: readonly SettledValue[]): SettledValue[] {
  const sums = new Map<string, SettledValue>();
  for (const value of values) {
    const known = sums.get(value.id);
    if (known && known.agentId !== value.agentId) continue;
    sums.set(value.id, { ...value, usdMicros: value.usdMicros + (known?.usdMicros ?? 0n) });
  }
  return [...sums.values()];
}

/** Returns the highest revision of each record, in the order in which the records first appear. */
export function latestRevisions(records: readonly TransactionRecord[]): TransactionRecord[] {
  const latest = new Map<string, TransactionRecord>();
  for (const record of records) {
    const known = latest.get(record.id);
    // An id belongs to the agent that used it first.
    if (!known || (known.agentId === record.agentId && known.revision < record.revision)) {
      latest.set(record.id, known ? { ...record, createdAtMs: known.createdAtMs } : record);
    }
  }
  return [...latest.values()];
}
