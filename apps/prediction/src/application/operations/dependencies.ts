import type { Clock } from '@agent-wallet/kernel';
import type { SpendingCheck } from '@agent-wallet/operations';
import type { Logger } from '@agent-wallet/platform';
import type { UsdPrices } from '@agent-wallet/prices';
import type { LedgerStore } from '../../ports/ledger-store.js';
import type { Exchange } from '../../ports/exchange.js';
import type { AbandonedOrderStore } from '../../ports/abandoned-order-store.js';
import type { Wallet } from '../../ports/wallet.js';

/** Dependencies of the operations on prediction money. */
export interface OperationDependencies {
  readonly exchange: Exchange;
  readonly ledger: LedgerStore;
  readonly abandoned: Pick<AbandonedOrderStore, 'has'>;
  readonly wallet: Wallet;
  readonly policies: SpendingCheck;
  readonly prices: UsdPrices;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timing: OrderTiming;
  /** By how much an order's limit may be worse than what the book shows, in micro-dollars. */
  readonly toleranceUsdMicros: bigint;
  /** The least withdrawal, unless it takes the whole balance, in micro-dollars. */
  readonly minWithdrawalUsdMicros: bigint;
}

/** Timing of placing and finding orders, in milliseconds. */
export interface OrderTiming {
  /** Time that an order waits for its turn, or a move that may not have begun is retried, before it is abandoned. */
  readonly timeoutMs: number;
  /**
   * Time after the agent's request within which an order may still begin, when the escrow is found late. Far above
   * timeoutMs, since the wait for the escrow is part of it.
   */
  readonly freshMs: number;
  /** Between two polls. */
  readonly pollIntervalMs: number;
  /** By how much the exchange's reads must have passed a moment to be complete up to it: clocks differ. */
  readonly marginMs: number;
  /**
   * Time after a refusal until nothing sent before it can be under way: the exchange refuses requests signed earlier.
   */
  readonly quietMs: number;
  /** Time that the wallet service waits for the outcome of a move. */
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

/** A caller's request for an operation. */
export interface OperationCallOf<Request> {
  /** UUID: the operation. */
  readonly operationId: string;
  readonly agentId: string;
  readonly request: Request;
  readonly waitMs: number;
  /** Whether an operation that has not begun never may. */
  readonly cancelIfNotStarted?: boolean;
}
