import type { Clock } from '@agent-wallet/kernel';
import type { SpendingCheck } from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import type { PriceReader } from '@agent-wallet/prices';
import type { LedgerStore } from '../../ports/ledger-store.js';
import type { Exchange } from '../../ports/exchange.js';
import type { AbandonedOrderStore } from '../../ports/abandoned-order-store.js';
import type { Wallet } from '../../ports/wallet.js';

/** Everything that operations on prediction money work with. */
export interface OperationDependencies {
  readonly exchange: Exchange;
  readonly ledger: LedgerStore;
  readonly abandoned: Pick<AbandonedOrderStore, 'has'>;
  readonly wallet: Wallet;
  readonly policies: SpendingCheck;
  readonly prices: PriceReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: OrderTiming;
  /** By how much an order's limit may be worse than what the book shows, in micro-dollars. */
  readonly toleranceUsdMicros: bigint;
}

/** How fast orders are placed and looked for, in milliseconds. */
export interface OrderTiming {
  /** How long an order waits for its turn, and a move that may not have begun is tried; then it is abandoned. */
  readonly timeoutMs: number;
  /**
   * How long after an agent asked its order may still begin, when the escrow is found late; far above timeoutMs, since
   * the wait for it is part of this.
   */
  readonly freshMs: number;
  /** Between two polls. */
  readonly pollIntervalMs: number;
  /** By how much the exchange's reads must have passed a moment to be complete up to it: clocks differ. */
  readonly marginMs: number;
  /** How long after a refusal nothing that was sent before it can still be under way: the exchange refuses what was signed earlier. */
  readonly quietMs: number;
  /** How long the wallet service is asked to wait for the outcome of a move. */
  readonly moveWaitMs: number;
  /** Between two attempts of a payout; it grows. */
  readonly payoutPauseMs: number;
}

/** For production. */
export const DEFAULT_ORDER_TIMING: OrderTiming = {
  timeoutMs: 60_000,
  freshMs: 5 * 60_000,
  pollIntervalMs: 250,
  marginMs: 1_000,
  quietMs: 45_000,
  moveWaitMs: 5_000,
  payoutPauseMs: 1_000,
};

/** What a caller asks for. */
export interface OperationCallOf<Request> {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: Request;
  readonly waitMs: number;
  /** Whether an operation that has not begun never may. */
  readonly cancelIfNotStarted?: boolean;
}
