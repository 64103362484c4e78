import type { TransactionStatus, ValuedRecord } from '../domain/transaction-record.js';

/** The columns of a record in the table `transactions t`. */
export const COLUMNS =
  't.id, t.agent_id, t.revision, t.action, t.status, t.shown_status, t.asset, t.amount, t.decimals, t.recipient, t.signature, t.facts, t.escrowed, t.returned, t.search_text, t.created_at, t.updated_at';

/** A row of `transactions`. */
export interface Row {
  readonly id: string;
  readonly agent_id: string;
  readonly revision: string;
  readonly action: string;
  readonly status: TransactionStatus;
  readonly shown_status: TransactionStatus;
  readonly asset: string;
  readonly amount: string | null;
  readonly decimals: number;
  readonly recipient: string;
  readonly signature: string;
  readonly facts: Buffer;
  readonly escrowed: string | null;
  readonly returned: string | null;
  readonly search_text: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** As `selectValue` selects it. */
  readonly value: string | null;
}

/** Reads a row. */
export function toRecord({ agent_id, shown_status, search_text, created_at, updated_at, ...row }: Row): ValuedRecord {
  return {
    id: row.id,
    agentId: agent_id,
    revision: Number(row.revision),
    action: row.action,
    status: row.status,
    shownStatus: shown_status,
    asset: row.asset,
    amount: row.amount === null ? undefined : BigInt(row.amount),
    decimals: row.decimals,
    recipient: row.recipient,
    signature: row.signature,
    facts: row.facts,
    escrow: row.escrowed === null ? undefined : { amount: BigInt(row.escrowed), returned: BigInt(row.returned ?? 0) },
    searchText: search_text,
    createdAtMs: created_at.getTime(),
    updatedAtMs: updated_at.getTime(),
    valueUsdMicros: row.value === null ? undefined : BigInt(row.value),
  };
}
