import { DOLLAR_USD_MICROS } from '../money/fixed-point.js';

/** Which way a contract pays. */
export type Side = 'yes' | 'no';

/** What an agent does with contracts of one side. */
export interface Trade {
  readonly action: 'buy' | 'sell';
  readonly side: Side;
  /** Per contract of that side, in micro-dollars. */
  readonly priceUsdMicros: bigint;
}

/** The same on the exchange's one book, which is that of yes: buying no at q is selling yes at 1 − q. */
export interface BookOrder {
  readonly side: 'bid' | 'ask';
  /** Of yes, in micro-dollars. */
  readonly priceUsdMicros: bigint;
}

/** How a trade is ordered at the exchange. */
export function toBookOrder({ action, side, priceUsdMicros }: Trade): BookOrder {
  const isBid = (action === 'buy') === (side === 'yes');
  return {
    side: isBid ? 'bid' : 'ask',
    priceUsdMicros: side === 'yes' ? priceUsdMicros : DOLLAR_USD_MICROS - priceUsdMicros,
  };
}
