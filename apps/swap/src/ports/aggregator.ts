import type { ExecuteResponse, OrderResponse } from '@agent-wallet/jupiter';
import type { ReportedWarning } from '../domain/token-warnings.js';
import type { Caller } from './request-budget.js';

/** A trade as the aggregator is asked for it. */
export interface OrderQuery {
  readonly inputMint: string;
  readonly outputMint: string;
  /** Base units of the input. */
  readonly amount: bigint;
  /** Base58 address of the wallet that trades. */
  readonly taker: string;
  readonly slippageBps: number;
  /** Base58 address of the wallet that pays the network, and signs, in the taker's place; absent where the taker pays. */
  readonly payer?: string;
}

/** A signed transaction, and what the aggregator needs to know it again. */
export interface Execution {
  readonly transaction: Uint8Array;
  readonly requestId: string;
  readonly lastValidBlockHeight?: string | undefined;
}

/**
 * The aggregator. What it answers has its documented shape, and is otherwise not to be trusted. All methods throw
 * AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT, or SERVICE_UNAVAILABLE while it may not be asked; its own words are never in
 * them.
 */
export interface Aggregator {
  /** Opens an inquiry of a caller, which shares the request budget with others. */
  inquire(caller: Caller): Inquiry;
  /** Has it land a signed transaction. The same may be given to it again. */
  execute(execution: Execution): Promise<ExecuteResponse>;
}

/**
 * Questions about one trade. Once it got warnings that were not known yet, it has its first order's request as well.
 */
export interface Inquiry {
  /** Returns the aggregator's warnings about tokens, by mint. */
  warnings(mints: readonly string[]): Promise<ReadonlyMap<string, readonly ReportedWarning[]>>;
  /** Requests a route and its unsigned transaction. @throws also AppError NO_ROUTE */
  order(question: OrderQuery): Promise<OrderResponse>;
}
