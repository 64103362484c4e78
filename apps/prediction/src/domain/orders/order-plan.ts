import type { Side } from '@agent-wallet/kalshi';

/*
 * What orders and withdrawals are resolved to, and how far they are: what is written before each next step. Money in
 * micro-dollars, contracts in hundredths. A member exists exactly when the state has it.
 */

/** A plan in one of its states. */
export type In<Plan extends { readonly state: string }, State extends Plan['state']> = Extract<
  Plan,
  { readonly state: State }
>;

/** An order as it is sent to the exchange. */
export interface PlannedOrder {
  readonly ticker: string;
  readonly eventTicker: string;
  /** The exchange's shard. */
  readonly exchangeIndex: number;
  readonly action: 'buy' | 'sell';
  readonly side: Side;
  readonly count: bigint;
  /** The most to pay, or the least to take, for one contract of its side; on the market's grid. */
  readonly limitUsdMicros: bigint;
  /** Unix milliseconds at which the agent asked. */
  readonly askedAtMs: number;
}

/** Clocks that differ must not hide an order. */
const GRACE_PERIOD_MS = 60_000;

/**
 * Returns the earliest time that an order can have been sent, in Unix milliseconds: by this process, another, or a run
 * that a restore has undone.
 */
export function firstSentMs({ askedAtMs }: PlannedOrder): number {
  return askedAtMs - GRACE_PERIOD_MS;
}

/** The order's identity while the exchange is searched for it. */
export interface OrderName {
  /** The exchange takes it once, for ever: the same with every sending. */
  readonly clientOrderId: string;
  /** Unix milliseconds since which the order may be on its way. */
  readonly sinceMs: number;
}

/** Reason that the exchange did not take an order. */
export interface OrderRefusal {
  /** The exchange's own code, or this service's for an order that was never sent. */
  readonly code: string;
  /** HTTP status; 0 when it was never sent. */
  readonly status: number;
}

/**
 * An order that may be on its way: written before it is sent for the first time. Only `sending` is known not to be there
 * yet, by the process that has its token; of all others the exchange alone knows.
 */
export type Placing =
  /** The process that remembers the token wrote this, and has not sent the order since. */
  | (OrderName & { readonly state: 'sending'; readonly token: string })
  /** It may have been sent: it is looked for, and sent again. */
  | (OrderName & { readonly state: 'unconfirmed' })
  /** The same, and refused since, which says nothing of an earlier sending. */
  | (OrderName & {
      readonly state: 'rejected_pending_proof';
      readonly refusal: OrderRefusal;
      /** Unix milliseconds. */
      readonly refusedAtMs: number;
    })
  /** The exchange has said that it has it: it is only looked for. */
  | (OrderName & { readonly state: 'acknowledged' })
  /** It is too late to send it: it is only looked for. */
  | (OrderName & { readonly state: 'too_late' });

/** An order that the exchange has taken. */
export interface Placed {
  readonly orderId: string;
  /** Contracts of it that were traded. */
  readonly filled: bigint;
}

/** The total of an order's fills. */
export interface Posted {
  /** Cost or proceeds of the fills, without the fee. */
  readonly totalUsdMicros: bigint;
  readonly feeUsdMicros: bigint;
  /** Unix milliseconds of the last one; absent without fills. */
  readonly filledAtMs?: number;
}

/** The final result of an order. */
export type OrderResult =
  /** Known not to exist at the exchange. */
  | { readonly kind: 'rejected'; readonly refusal: OrderRefusal }
  /** Taken, and its fills are in the ledger. */
  | { readonly kind: 'posted'; readonly placed: Placed; readonly posted: Posted };

/** USDC on its way to the wallet: what is owed lies in `withdraw_pending` meanwhile. */
export interface Payout {
  readonly amountUsdMicros: bigint;
  /** Unix milliseconds at which it was begun. */
  readonly sinceMs: number;
  /** From 1. */
  readonly attempt: number;
  /** Base58 signature of the attempt; absent until it is known. */
  readonly signature?: string;
}

/** The final place of a payout's USDC. */
export type EndedPayout =
  | {
      readonly kind: 'paid';
      readonly amountUsdMicros: bigint;
      readonly attempt: number;
      readonly signature: string;
    }
  /** It could not be sent: the agent has it in the prediction balance. */
  | { readonly kind: 'in_balance'; readonly amountUsdMicros: bigint; readonly attempt: number };

/** Returns the Base58 signature of a payout; undefined while it is not known, and where there is none. */
export function signatureOfPayout(payout: Payout | EndedPayout | undefined): string | undefined {
  return payout && 'signature' in payout ? payout.signature : undefined;
}

/** Reports whether a payout could not be sent, so that the agent has it in the prediction balance. */
export function isInBalance(payout: Payout | EndedPayout | undefined): boolean {
  return payout !== undefined && 'kind' in payout && payout.kind === 'in_balance';
}

/** Returns the payout or refund of an order; undefined while there is none. */
export function payoutOf(plan: OrderPlan | undefined): Payout | EndedPayout | undefined {
  return plan && 'payout' in plan ? plan.payout : undefined;
}

/** An order whose fills are being read. */
export interface PostingOrder extends OrderName {
  readonly state: 'posting';
  readonly order: PlannedOrder;
  readonly placed: Placed;
}

/** The book has no offer within the agent's limit: nothing was sent, and nothing moved. */
interface OrderBeyondLimit {
  readonly state: 'beyond_limit';
  readonly order: PlannedOrder;
}

interface BuyTerms {
  readonly order: PlannedOrder;
  /** Highest possible cost of the order, fees included. Reconciliation reads it while the escrow is on its way. */
  readonly escrowUsdMicros: bigint;
}

/** Fields of a buy once its escrow has landed. */
interface EscrowedBuy extends BuyTerms {
  /** Base58 signature of the escrow. */
  readonly escrowSignature: string;
}

/** A buy as it was planned when an owner was asked: the terms that the approval allows, at most. */
export interface ApprovedBuy extends BuyTerms {
  readonly state: 'awaiting_approval';
  /** The escrow's attempt that policy did not permit. */
  readonly attempt: number;
}

/** A planned buy as it is named to policy, which decides on its escrow. */
interface EscrowOrder {
  readonly ticker: string;
  readonly side: Side;
  /** Hundredths of contracts. */
  readonly count: bigint;
  readonly maxPriceUsdMicros: bigint;
  readonly maxCostUsdMicros: bigint;
}

/** Returns the order that the escrow of a buy pays for. */
export function escrowOrderOf({ order, escrowUsdMicros }: BuyTerms): EscrowOrder {
  const { ticker, side, count, limitUsdMicros } = order;
  return { ticker, side, count, maxPriceUsdMicros: limitUsdMicros, maxCostUsdMicros: escrowUsdMicros };
}

/** The progress of a buy. */
export type BuyPlan =
  | OrderBeyondLimit
  /** An owner was asked, and nothing moved. It is planned again within these terms. */
  | ApprovedBuy
  /** USDC of the wallet is on its way to the treasury. */
  | (BuyTerms & {
      readonly state: 'escrowing';
      /** Number of the escrow's attempt, from 1. */
      readonly attempt: number;
      /** Base58; absent until it is known. */
      readonly escrowSignature?: string;
    })
  /** Nothing moved, and nothing will. */
  | (BuyTerms & { readonly state: 'escrow_failed'; readonly escrowSignature?: string })
  | (EscrowedBuy & { readonly state: 'placing'; readonly placing: Placing })
  | (EscrowedBuy & PostingOrder)
  /** What the order did not cost is on its way back. */
  | (EscrowedBuy & { readonly state: 'refunding'; readonly result: OrderResult; readonly payout: Payout })
  | (EscrowedBuy & {
      readonly state: 'done';
      readonly result: OrderResult;
      /** Absent when the order cost all of the escrow. */
      readonly payout?: EndedPayout;
    });

/**
 * The progress of a sale. Unless it is beyond its limit, the first written state is that its order may be on its way.
 */
export type SellPlan =
  | OrderBeyondLimit
  | { readonly state: 'placing'; readonly order: PlannedOrder; readonly placing: Placing }
  | PostingOrder
  /** The proceeds are on their way to the wallet. */
  | {
      readonly state: 'paying';
      readonly order: PlannedOrder;
      readonly result: OrderResult;
      readonly payout: Payout;
    }
  | {
      readonly state: 'done';
      readonly order: PlannedOrder;
      readonly result: OrderResult;
      /** Absent when the order brought nothing. */
      readonly payout?: EndedPayout;
    };

/** The progress of an order. */
export type OrderPlan = BuyPlan | SellPlan;

/** The progress of a withdrawal. */
export type WithdrawPlan =
  | { readonly state: 'paying'; readonly payout: Payout }
  | { readonly state: 'done'; readonly payout: EndedPayout };
