import type { MarketResult, MarketState, Outcome } from './market-state.js';

/** On the one book of YES: who bids buys YES, who asks buys NO. */
export type BookSide = 'bid' | 'ask';

export type TimeInForce = 'fill_or_kill' | 'immediate_or_cancel' | 'good_till_canceled';

/** Who gives way when an account meets its own resting order: the one that came, or the one that rests. */
export type SelfTradePrevention = 'taker_at_cross' | 'maker';

export type OrderStatus = 'resting' | 'canceled' | 'executed';

/** An order of the operator's account. Money in micro-dollars, counts in hundredths of a contract. */
export interface AccountOrder {
  /** Counts the account's orders from 1. */
  readonly seq: number;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly ticker: string;
  readonly eventTicker: string;
  readonly side: BookSide;
  /** On the scale of YES. */
  readonly priceMicros: bigint;
  readonly timeInForce: TimeInForce;
  readonly selfTradePrevention: SelfTradePrevention;
  readonly cancelsOnPause: boolean;
  readonly status: OrderStatus;
  readonly initialHundredths: bigint;
  readonly filledHundredths: bigint;
  /** What rests in the book; 0 once it is executed or canceled. */
  readonly remainingHundredths: bigint;
  /** What the contracts cost that it bought, fees apart. */
  readonly takerCostMicros: bigint;
  readonly makerCostMicros: bigint;
  readonly takerFeesMicros: bigint;
  readonly makerFeesMicros: bigint;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly expiresMs: number | undefined;
}

/** A fill of the operator's account. */
export interface AccountFill {
  /** Counts the account's fills from 1. */
  readonly seq: number;
  readonly fillId: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly ticker: string;
  readonly eventTicker: string;
  readonly side: BookSide;
  /** What the account bought. */
  readonly outcome: Outcome;
  readonly hundredths: bigint;
  readonly yesPriceMicros: bigint;
  readonly isTaker: boolean;
  /** Trade fee and rounding, less rebates; never negative. */
  readonly feeMicros: bigint;
  /** What the fill did to the account's cash: the contracts' cost, the fee, and $1 for each pair it closed. */
  readonly cashMicros: bigint;
  readonly timeMs: number;
}

/** What the account holds in one market. */
export interface AccountPosition {
  readonly ticker: string;
  readonly eventTicker: string;
  /** YES is positive, NO negative. */
  readonly hundredths: bigint;
  /** What the contracts held now cost. */
  readonly exposureMicros: bigint;
  /** What all contracts ever bought here cost. */
  readonly tradedMicros: bigint;
  readonly realizedMicros: bigint;
  readonly feesMicros: bigint;
  readonly updatedMs: number;
}

/** What a finalized market paid. */
export interface AccountSettlement {
  /** Counts the account's settlements from 1. */
  readonly seq: number;
  readonly ticker: string;
  readonly eventTicker: string;
  readonly result: MarketResult;
  readonly yesHundredths: bigint;
  readonly yesCostMicros: bigint;
  readonly noHundredths: bigint;
  readonly noCostMicros: bigint;
  /** Whole cents. */
  readonly revenueMicros: bigint;
  /** What a YES contract paid. */
  readonly valueMicros: bigint;
  /** What all fills in the market were charged. */
  readonly feesMicros: bigint;
  readonly timeMs: number;
}

/** A trade between the account and another trader, as the public sees it. */
export interface Trade {
  /** Counts the exchange's trades from 1. */
  readonly seq: number;
  readonly tradeId: string;
  readonly ticker: string;
  readonly hundredths: bigint;
  readonly yesPriceMicros: bigint;
  readonly takerOutcome: Outcome;
  readonly timeMs: number;
}

/** The operator's account at a time. */
export interface AccountView {
  /** Free to use: cash without what resting orders hold back. */
  readonly balanceMicros: bigint;
  readonly cashMicros: bigint;
  /** When the cash last changed. */
  readonly updatedMs: number;
  /** Of markets that are not finalized, in the order of their first fill. */
  readonly positions: readonly AccountPosition[];
  /** Each list oldest first. */
  readonly orders: readonly AccountOrder[];
  readonly fills: readonly AccountFill[];
  readonly settlements: readonly AccountSettlement[];
}

/** A step in a market's life, in the words of the exchange's socket. */
export type LifecycleStep = 'created' | 'activated' | 'deactivated' | 'close_date_updated' | 'determined' | 'settled';

/** What happened, once it is written down. */
export type ExchangeEvent =
  | { readonly kind: 'order'; readonly order: AccountOrder }
  | { readonly kind: 'fill'; readonly fill: AccountFill; readonly positionHundredths: bigint }
  | { readonly kind: 'position'; readonly position: AccountPosition }
  | { readonly kind: 'trade'; readonly trade: Trade }
  | {
      readonly kind: 'lifecycle';
      readonly step: LifecycleStep;
      readonly market: MarketState;
      readonly timeMs: number;
    }
  | {
      /** One level of one side's bids changed by this much. */
      readonly kind: 'book';
      readonly ticker: string;
      readonly outcome: Outcome;
      readonly priceMicros: bigint;
      readonly deltaHundredths: bigint;
      readonly timeMs: number;
    };

export type ExchangeListener = (event: ExchangeEvent) => void;
