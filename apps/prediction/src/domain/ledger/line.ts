import { NIL_UUID } from '@agent-wallet/kernel';
import type { Side } from './side.js';

/** What an account is for; the migration that makes the journal says more of each. */
export type AccountKind =
  | 'outstanding'
  | 'netted_pairs'
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

/** A line; what the account is not of is left out. */
export function line(kind: AccountKind, amount: bigint, where: Where = {}): Line {
  const { agentId = NIL_UUID, operationId = NIL_UUID, ticker = '', side = '' } = where;
  return { kind, amount, agentId, operationId, ticker, side };
}

/** The lines of an entry, any number of them, without those that change nothing. */
export function entryOf(lines: readonly Line[]): readonly Line[] {
  return lines.filter(({ amount }) => amount !== 0n);
}

const NOT_MONEY: ReadonlySet<AccountKind> = new Set([
  'outstanding',
  'position',
  'position_locked',
  'position_cost',
  'agent_positions',
]);

/** Whether accounts of that kind are of money; the others are of contracts, or a memo of what they cost. */
export function isMoney(kind: AccountKind): boolean {
  return !NOT_MONEY.has(kind);
}
