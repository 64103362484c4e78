import { DOLLAR_USD_MICROS } from '../money/fixed-point.js';

/** Result that a contract pays for. */
export type Side = 'yes' | 'no';

/** An agent's trade of contracts of one side. */
interface Trade {
  readonly action: 'buy' | 'sell';
  readonly side: Side;
  /** Per contract of that side, in micro-dollars. */
  readonly priceUsdMicros: bigint;
}

/** A trade on the exchange's one book, which is that of yes: buying no at q is selling yes at 1 − q. */
interface BookOrder {
  readonly side: 'bid' | 'ask';
  /** Price of yes, in micro-dollars. */
  readonly priceUsdMicros: bigint;
}

/** Converts a trade to an order at the exchange. */
export function toBookOrder({ action, side, priceUsdMicros }: Trade): BookOrder {
  const isBid = (action === 'buy') === (side === 'yes');
  return {
    side: isBid ? 'bid' : 'ask',
    priceUsdMicros: side === 'yes' ? priceUsdMicros : DOLLAR_USD_MICROS - priceUsdMicros,
  };
}
