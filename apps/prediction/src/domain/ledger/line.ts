import { NIL_UUID } from '@agent-wallet/kernel';
import type { Side } from './side.js';

/** The purpose of an account; the migration that creates the journal describes each. */
export type AccountKind =
  | 'outstanding'
  | 'netted_pairs'
  | 'settling'
  | 'settlement_due'
  | 'position'
  | 'position_locked'
  | 'position_cost'
  | 'agent_positions'
  | 'escrow'
  | 'prediction_balance'
  | 'withdraw_pending'
  | 'suspense_treasury'
  | 'suspense_exchange'
  | 'operator_float'
  | 'exchange_costs'
  | 'rounding'
  | 'exchange_cash'
  | 'treasury_usdc';

/** One account, and what an entry changes it by: a debit is positive. */
export interface Line {
  readonly kind: AccountKind;
  readonly agentId: string;
  readonly operationId: string;
  readonly ticker: string;
  readonly side: Side | '';
  readonly amount: bigint;
}

type Where = Partial<Pick<Line, 'agentId' | 'operationId' | 'ticker' | 'side'>>;

/** Creates a line; keys that do not apply to the account are omitted. */
export function line(kind: AccountKind, amount: bigint, where: Where = {}): Line {
  const { agentId = NIL_UUID, operationId = NIL_UUID, ticker = '', side = '' } = where;
  return { kind, amount, agentId, operationId, ticker, side };
}

/** Returns the lines of an entry, any number of them, without those that change nothing. */
export function entryOf(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ amount }) => amount !== 0n);
}

const NOT_MONEY: ReadonlySet<AccountKind> = new Set([
  'outstanding',
  'settling',
  'position',
  'position_locked',
  'position_cost',
  'agent_positions',
]);

/** Reports whether accounts of a kind hold money; the others hold contracts, or a memo of their cost. */
export function isMoney(kind: AccountKind): boolean {
  return !NOT_MONEY.has(kind);
}
