import type { Side } from '@agent-wallet/kalshi';

/*
 * What orders and withdrawals are resolved to, and how far they are: what is written before each next step. Kept as JSON,
 * so amounts are texts: micro-dollars, and hundredths of contracts. What has not happened is absent.
 */

/** An order as it is sent to the exchange. */
export interface PlannedOrder {
  readonly ticker: string;
  readonly eventTicker: string;
  /** The exchange's shard. */
  readonly exchangeIndex: number;
  readonly action: 'buy' | 'sell';
  readonly side: Side;
  readonly count: string;
  /** The most to pay, or the least to take, for one contract of its side; on the market's grid. */
  readonly limitUsdMicros: string;
  /** Unix milliseconds at which the agent asked. */
  readonly askedAtMs: number;
}

/** Clocks that differ must not hide an order. */
const LEEWAY_MS = 60_000;

/**
 * The earliest that an order can have been sent, in Unix milliseconds, by this process, another, or a life that a restore
 * has undone.
 */
export function firstSentMs({ askedAtMs }: PlannedOrder): number {
  return askedAtMs - LEEWAY_MS;
}

/** An order that may be on its way: written before it is sent for the first time. */
export interface Placing {
  /** The exchange takes it once, for ever: the same with every sending. */
  readonly clientOrderId: string;
  /** Whoever remembers it wrote this, and has not sent the order since. */
  readonly token: string;
  readonly sinceMs: number;
  /** Whether it may have been sent before: then only the exchange knows. */
  readonly isInDoubt?: true;
  /** Whether it is too late to send it: it is only looked for. */
  readonly isLate?: true;
  /** The exchange has said that it has it. */
  readonly isKnown?: true;
  /** The last refusal of an order in doubt, which says nothing of an earlier sending. */
  readonly refusal?: OrderRefusal & { readonly atMs: number };
}

/** Why the exchange did not take an order. */
export interface OrderRefusal {
  /** The exchange's own code, or one of ours for an order that was never sent. */
  readonly code: string;
  /** HTTP status; 0 when it was never sent. */
  readonly status: number;
}

/** An order that the exchange has taken. */
export interface Placed {
  readonly orderId: string;
  /** Contracts of it that were traded. */
  readonly filled: string;
}

/** What the fills of an order came to. */
export interface Booked {
  /** What they cost or brought, without the fee. */
  readonly totalUsdMicros: string;
  readonly feeUsdMicros: string;
  /** Unix milliseconds of the last one. */
  readonly filledAtMs?: number;
}

/** USDC on its way to the wallet: what is owed lies in `withdraw_pending` meanwhile. */
export interface PayoutPlan {
  readonly amountUsdMicros: string;
  /** Unix milliseconds at which it was begun. */
  readonly sinceMs: number;
  /** From 1. */
  readonly attempt: number;
  /** Base58 signature of the attempt, once it is known. */
  readonly signature?: string;
  /** It could not be sent: the agent has it in the prediction balance. */
  readonly isInBalance?: true;
}

/** How far an order is. */
export interface OrderPlan {
  readonly order: PlannedOrder;
  readonly placing?: Placing;
  readonly placed?: Placed;
  /** Known not to exist at the exchange. */
  readonly refusal?: OrderRefusal;
  readonly booked?: Booked;
  readonly payout?: PayoutPlan;
}

/** How far a buy is. */
export interface BuyPlan extends OrderPlan {
  /** What the order can cost at worst, fees included. Reconciliation reads it while the escrow is on its way. */
  readonly escrowUsdMicros: string;
  /** Base58 signature of the escrow, once it is known. */
  readonly escrowSignature?: string;
}

/** How far a sale is: the first that is written is that its order may be on its way. */
export interface SellPlan extends OrderPlan {
  readonly placing: Placing;
}

/** How far a withdrawal is. */
export interface WithdrawPlan {
  readonly payout: PayoutPlan;
}
