/** A market in a list, the fields that are used here. */
export interface ListedMarket {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly title: string;
  readonly status: string;
  readonly paused: boolean;
  readonly yesBid: number | null;
  readonly yesAsk: number | null;
  readonly noBid: number | null;
  readonly noAsk: number | null;
}

/** A market in detail, the fields that are used here. */
export interface MarketDetail extends ListedMarket {
  readonly result: string;
  readonly settlementValue: number | null;
}

/** One price of a book. */
export interface BookLevel {
  readonly price: number;
  readonly quantity: number;
}

/** Fields of an order's result, for a purchase or a sale. */
interface OrderResult {
  readonly orderId: string | null;
  readonly ticker: string;
  readonly side: string;
  readonly count: number;
  readonly pricePerContract: number | null;
  readonly feeDollars: number;
  readonly status: string;
  readonly transactionId: string;
  readonly transactionStatus: string;
}

/** A purchase's result (specification 2.6). */
export interface BuyResult extends OrderResult {
  readonly totalCostDollars: number;
  readonly refundedDollars: number;
  readonly refundedToBalance: boolean;
  readonly signature: string;
  readonly refundSignature: string | null;
}

/** A sale's result. */
export interface SellResult extends OrderResult {
  readonly totalProceedsDollars: number;
  readonly paidToBalance: boolean;
  readonly signature: string | null;
}

/** A result, or the shape of a duplicate (specification 2.7). */
export type Repeated<Result> = Result & { readonly cached?: boolean; readonly originalResponse?: Result };

/** A withdrawal's result. */
export interface WithdrawResult {
  readonly withdrawalId: string;
  readonly transactionId: string;
  readonly status: string;
  readonly amountDollars: number;
  readonly newBalanceDollars: number;
  readonly signature: string;
}

/** A position. */
export interface Position {
  readonly ticker: string;
  readonly side: string;
  readonly quantity: number;
  readonly lockedQuantity: number;
  readonly averagePrice: number | null;
  readonly totalCostDollars: number;
  readonly currentPrice: number | null;
  readonly settled: boolean;
  readonly settlementResult: string | null;
  readonly settlementPayoutDollars: number | null;
}

/** Positions, and how many there are. */
export interface Positions {
  readonly positions: readonly Position[];
  readonly summary: {
    readonly totalPositions: number;
    readonly openPositions: number;
    readonly settledPositions: number;
  };
}

/** An order of the past. */
export interface PastOrder {
  readonly orderId: string | null;
  readonly ticker: string;
  readonly action: string;
  readonly count: number;
  readonly requestedCount: number;
  readonly totalDollars: number;
  readonly feeDollars: number;
  readonly status: string;
}

/** The prediction balance. */
export interface PredictionBalance {
  readonly balanceCents: number;
  readonly balanceDollars: number;
  readonly reservedCents: number;
  readonly availableCents: number;
}
