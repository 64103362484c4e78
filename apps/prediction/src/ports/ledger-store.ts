import type { Queryable } from '@agent-wallet/platform';
import type { Side } from '../domain/ledger/side.js';

// Money: micro-dollars (base units of USDC). Contracts: hundredths of a contract. Prices: micro-dollars of one contract.

/** The operation that something is posted for, and whose it is (UUIDs). */
export interface LedgerOperation {
  readonly operationId: string;
  readonly agentId: string;
}

/** The terms of an order, seen from the agent: the side is the agent's, also when it sells. */
export interface OrderTerms {
  readonly ticker: string;
  readonly side: Side;
  readonly action: 'buy' | 'sell';
}

/** An order that the exchange has taken. */
export interface PlacedOrder extends OrderTerms {
  /** The exchange's id. */
  readonly orderId: string;
}

/** One fill as the exchange reports it: the side is the one that our account bought. Has the shape of ExchangeFill. */
export interface Fill {
  /** Unique at the exchange: a fill is posted once. */
  readonly fillId: string;
  readonly ticker: string;
  readonly side: Side;
  readonly count: bigint;
  readonly yesPriceUsdMicros: bigint;
  readonly noPriceUsdMicros: bigint;
  readonly feeUsdMicros: bigint;
  readonly atMs: number;
}

/** All that was posted of an operation's order so far. */
export interface Filled {
  readonly count: bigint;
  /** Cost or proceeds of the contracts, without fees. */
  readonly totalUsdMicros: bigint;
  /** Fees that the agent bears. */
  readonly feeUsdMicros: bigint;
  /** Unix milliseconds of the last fill. */
  readonly lastAtMs: number | undefined;
}

/**
 * `open`: it may be placed, or its fills are not all posted. `rejected`: it never was at the exchange, and is not listed.
 */
export type RecordedStatus = 'open' | 'filled' | 'partially_filled' | 'cancelled' | 'rejected';

/** An order as ListOrders returns it. */
export interface OrderRecord extends OrderTerms {
  /** The exchange's id; empty while none is known. An order without one is not listed. */
  readonly orderId: string;
  readonly eventTicker: string;
  /** Contracts asked for. */
  readonly count: bigint;
  readonly filled: bigint;
  readonly totalUsdMicros: bigint;
  readonly feeUsdMicros: bigint;
  readonly status: RecordedStatus;
  /** Unix milliseconds at which the agent asked. */
  readonly createdAtMs: number;
  readonly filledAtMs: number | undefined;
}

/** An order as a list shows it. */
export interface ListedOrder extends OrderRecord {
  readonly operationId: string;
}

/** The part of a position that an agent wants to sell. */
export interface PositionPart {
  readonly ticker: string;
  readonly side: Side;
  readonly count: bigint;
}

/** The ledger's holdings for one operation at this moment. */
export interface Held {
  /** The rest of its escrow. */
  readonly escrowUsdMicros: bigint;
  /** On its way to the agent's wallet. */
  readonly pendingUsdMicros: bigint;
  /** Contracts that are locked for it. */
  readonly lockedCount: bigint;
}

/** An agent's prediction money, escrows apart. */
export interface AgentBalance {
  /** Can be withdrawn. */
  readonly availableUsdMicros: bigint;
  /** On its way to the wallet. */
  readonly reservedUsdMicros: bigint;
}

/** An agent's contracts of one side of one market. */
export interface LedgerPosition {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly side: Side;
  /** Locked ones included; of a settled position those that it had. */
  readonly quantity: bigint;
  readonly lockedCount: bigint;
  /** Cost of the contracts, without fees. */
  readonly costUsdMicros: bigint;
  /** Once the market is settled. */
  readonly settlement: { readonly result: SettledAs; readonly payoutUsdMicros: bigint } | undefined;
}

/** The result of a settled position. */
export type SettledAs = 'won' | 'lost' | 'void' | 'scalar';

/** Positions, the latest first, and how many the agent has in all. */
export interface PositionList {
  readonly positions: readonly LedgerPosition[];
  /** All that there are, listed or not. */
  readonly openCount: number;
  readonly settledCount: number;
}

/** Filter and page of a list of orders. */
export interface OrderQuery {
  /** Market of the orders; undefined for any. */
  readonly ticker: string | undefined;
  readonly limit: number;
  /** Cursor from the page before; empty for the first page. */
  readonly cursor: string;
}

/** Orders, the latest first. */
export interface OrderPage {
  readonly orders: readonly ListedOrder[];
  /** Empty after the last page. */
  readonly cursor: string;
}

/**
 * Ledger writes of operations. Every method writes in the caller's transaction, once: a repeat changes nothing, and a
 * repeat with different values throws. Any throw leaves the transaction to be rolled back.
 *
 * Locks are taken in one order: market, agent, accounts. So a transaction that posts fills begins with `postFills`.
 */
export interface LedgerWriter {
  /** Posts the arrival of the escrow in the treasury. */
  escrow(tx: Queryable, operation: LedgerOperation, amountUsdMicros: bigint): Promise<void>;
  /**
   * Posts fills that are not posted yet, and returns all that are posted of the operation. A buy is paid from its escrow,
   * and never more than that; a sale takes contracts that are locked for it, and its proceeds less the fee go to the
   * prediction balance.
   */
  postFills(tx: Queryable, operation: LedgerOperation, order: PlacedOrder, fills: readonly Fill[]): Promise<Filled>;
  /**
   * Keeps the order of an operation as it is known. It is written as `open` before it is placed and with its end in the
   * transaction that posts the last fill: a market is not settled, and its figures at the exchange not compared, in
   * between.
   */
  recordOrder(tx: Queryable, operation: LedgerOperation, order: OrderRecord): Promise<void>;
  /** Locks contracts for a sale. @throws AppError INSUFFICIENT_POSITION */
  lockPosition(tx: Queryable, operation: LedgerOperation, part: PositionPart): Promise<void>;
  /** Gives back the contracts that are still locked for the operation. */
  unlockPosition(tx: Queryable, operation: LedgerOperation): Promise<void>;
  /** Posts that money of the escrow is on its way back to the wallet. */
  startRefund(tx: Queryable, operation: LedgerOperation, step: number, amountUsdMicros: bigint): Promise<void>;
  /** Posts that money of the prediction balance is on its way to the wallet. @throws AppError INSUFFICIENT_FUNDS */
  startPayout(tx: Queryable, operation: LedgerOperation, step: number, amountUsdMicros: bigint): Promise<void>;
  /** Posts the arrival of the payout or refund that was begun at that step. */
  payoutConfirmed(tx: Queryable, operation: LedgerOperation, step: number): Promise<void>;
  /** Posts the payout or refund of that step as prediction balance: it is proven never to arrive. */
  payoutExpired(tx: Queryable, operation: LedgerOperation, step: number): Promise<void>;
}

/** Reads of the ledger. */
export interface LedgerReader {
  heldFor(operationId: string): Promise<Held>;
  balanceOf(agentId: string): Promise<AgentBalance>;
  /** Contracts of the position that are not locked. */
  freeContractsOf(agentId: string, ticker: string, side: Side): Promise<bigint>;
  /** Returns the latest changed positions: settled ones only, or open ones only, or both. */
  positionsOf(agentId: string, settled: boolean | undefined): Promise<PositionList>;
  /** @throws AppError VALIDATION_ERROR for a cursor that is none */
  ordersOf(agentId: string, query: OrderQuery): Promise<OrderPage>;
  /** Returns the reason that new orders are stopped; undefined when they are not. */
  ordersHalted(): Promise<string | undefined>;
}

/**
 * The ledger. Reconciliation finds escrows on their way in the plans of open `prediction_buy` operations: such a plan
 * carries `escrowUsdMicros` (decimal text) from before `wallet.Move` is called.
 */
export type LedgerStore = LedgerWriter & LedgerReader;
