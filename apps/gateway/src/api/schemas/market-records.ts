import { z } from 'zod';
import { composed } from './composed.js';
import { averageCents, contracts, dollarPrice, growing, priceCents, seconds, strike, time } from './units.js';

/** Records of what can be traded at the exchange. */

const text = (description: string) => z.string().meta({ description });
const price = (description: string) => priceCents().nullable().meta({ description });
const exactPrice = () => dollarPrice().nullable();

/** Returns the field for the cursor of the next page. */
export const nextCursor = () => z.string().meta({ description: '`cursor` of the next page; empty after the last.' });

/** Statuses of a market. */
export const MARKET_STATUSES = ['unopened', 'open', 'closed', 'settled'] as const;

const marketStatus = growing('MarketStatus', MARKET_STATUSES, 'Where a market stands.')();

/** A market as a list shows it (specification 2.6), and what stands beside it. */
export const marketRecord = z
  .strictObject({
    ticker: text('Names the market in a buy and a sell.'),
    eventTicker: z.string(),
    title: z.string(),
    subtitle: text('What it resolves on.'),
    status: marketStatus,
    paused: z.boolean().meta({ description: 'Whether the exchange holds up trading in an open market.' }),
    yesBid: price('Best bid for yes in cents, rounded down; null without a bid, and for one below a cent.'),
    yesAsk: price('Best ask for yes in cents, rounded up; null without an ask, and for one above 99 cents.'),
    noBid: price('Best bid for no in cents, rounded down.'),
    noAsk: price('Best ask for no in cents, rounded up.'),
    lastPrice: price('Price of yes in the last trade, to the nearest cent.'),
    yesBidDollars: exactPrice(),
    yesAskDollars: exactPrice(),
    noBidDollars: exactPrice(),
    noAskDollars: exactPrice(),
    lastPriceDollars: exactPrice(),
    volume24h: contracts('Contracts traded in the last 24 hours.'),
    openInterest: contracts('Contracts that are held.'),
    closeTime: time('When trading ends.'),
  })
  .meta({ id: 'Market' });

const marketDetailRecord = composed('MarketDetail', [marketRecord], {
  marketType: text('`binary` or `scalar`.'),
  yesSubTitle: text('What yes means.'),
  noSubTitle: text('What no means.'),
  openTime: time(),
  expectedExpirationTime: time().nullable().meta({ description: 'When the result is expected.' }),
  latestExpirationTime: time(),
  settlementTimerSeconds: seconds('Between the result and the payout.'),
  volume: contracts('Contracts traded ever.'),
  previousPrice: price('Price of yes a day ago, to the nearest cent.'),
  previousPriceDollars: exactPrice(),
  result: z.enum(['yes', 'no', 'scalar', '']).meta({ description: 'Empty while there is none.' }),
  settlementValue: averageCents().nullable().meta({ description: 'What a yes contract pays, in cents; null before.' }),
  settlementValueDollars: exactPrice(),
  settledAt: time().nullable(),
  canCloseEarly: z.boolean(),
  strikeType: z.string().nullable().meta({ description: '`greater`, `less`, `between` …' }),
  floorStrike: strike().nullable(),
  capStrike: strike().nullable(),
  rulesPrimary: z.string(),
  rulesSecondary: z.string(),
});

export const marketResult = z.strictObject({ market: marketDetailRecord }).meta({ id: 'MarketResult' });

export const marketPage = z
  .strictObject({ markets: z.array(marketRecord), cursor: nextCursor() })
  .meta({ id: 'MarketPage' });

const level = z
  .strictObject({
    price: price('Rounded down; null for a bid below a cent.'),
    priceDollars: dollarPrice(),
    quantity: contracts('Wanted at that price.'),
  })
  .meta({ id: 'PriceLevel' });

export const orderbookRecord = z
  .strictObject({
    ticker: z.string(),
    yes: z.array(level).meta({ description: 'Bids for yes, the best last.' }),
    no: z
      .array(level)
      .meta({ description: 'Bids for no, the best last; a bid for no at p is an ask for yes at 1 − p.' }),
  })
  .meta({ id: 'Orderbook' });
