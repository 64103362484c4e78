import { z } from 'zod';

/** Records of what can be traded at the exchange, for the documents and for the contract tests. */

const time = () => z.iso.datetime();
const text = (description: string) => z.string().meta({ description });
const cents = (description: string) => z.int().min(0).max(100).nullable().meta({ description });
const contracts = (description: string) => z.number().min(0).meta({ description });
const exactPrice = () =>
  z
    .string()
    .regex(/^[01](\.\d{1,6})?$/)
    .meta({ description: 'The same, exactly, in dollars.' });

/** Where a market stands. */
export const MARKET_STATUSES = ['unopened', 'open', 'closed', 'settled'] as const;

/** A market as a list shows it (specification 2.6), and what stands beside it. */
export const marketRecord = z.strictObject({
  ticker: text('Names the market in a buy and a sell.'),
  eventTicker: z.string(),
  title: z.string(),
  subtitle: text('What it resolves on.'),
  status: z.enum(MARKET_STATUSES),
  paused: z.boolean().meta({ description: 'Whether the exchange holds up trading in an open market.' }),
  yesBid: cents('Best bid for yes in cents, rounded down; null when nobody bids.'),
  yesAsk: cents('Best ask for yes in cents, rounded up; null when nobody offers.'),
  noBid: cents('Best bid for no in cents, rounded down.'),
  noAsk: cents('Best ask for no in cents, rounded up.'),
  lastPrice: cents('Price of yes in the last trade, to the nearest cent.'),
  yesBidDollars: exactPrice().nullable(),
  yesAskDollars: exactPrice().nullable(),
  noBidDollars: exactPrice().nullable(),
  noAskDollars: exactPrice().nullable(),
  lastPriceDollars: exactPrice().nullable(),
  volume24h: contracts('Contracts traded in the last 24 hours.'),
  openInterest: contracts('Contracts that are held.'),
  closeTime: time().meta({ description: 'When trading ends.' }),
});

export const marketDetailRecord = marketRecord.extend({
  marketType: text('`binary` or `scalar`.'),
  yesSubTitle: text('What yes means.'),
  noSubTitle: text('What no means.'),
  openTime: time(),
  expectedExpirationTime: time().nullable().meta({ description: 'When the result is expected.' }),
  latestExpirationTime: time(),
  settlementTimerSeconds: z.int().meta({ description: 'Seconds between the result and the payout.' }),
  volume: contracts('Contracts traded ever.'),
  previousPrice: cents('Price of yes a day ago, to the nearest cent.'),
  previousPriceDollars: exactPrice().nullable(),
  result: z.enum(['yes', 'no', 'scalar', '']).meta({ description: 'Empty while there is none.' }),
  settlementValue: z.number().nullable().meta({ description: 'What a yes contract pays, in cents; null before.' }),
  settlementValueDollars: exactPrice().nullable(),
  settledAt: time().nullable(),
  canCloseEarly: z.boolean(),
  strikeType: z.string().nullable().meta({ description: '`greater`, `less`, `between` …' }),
  floorStrike: z.number().nullable(),
  capStrike: z.number().nullable(),
  rulesPrimary: z.string(),
  rulesSecondary: z.string(),
});

const level = z.strictObject({
  price: z.int().meta({ description: 'Cents, rounded down.' }),
  priceDollars: exactPrice(),
  quantity: contracts('Contracts wanted at that price.'),
});

export const orderbookRecord = z.strictObject({
  ticker: z.string(),
  yes: z.array(level).meta({ description: 'Bids for yes, the best last.' }),
  no: z.array(level).meta({ description: 'Bids for no, the best last; a bid for no at p is an ask for yes at 1 − p.' }),
});

const settlementSources = z
  .array(z.strictObject({ name: z.string(), url: z.string() }))
  .meta({ description: 'Where results are read, as the exchange says.' });

export const eventRecord = z.strictObject({
  eventTicker: z.string(),
  seriesTicker: z.string(),
  title: z.string(),
  subTitle: z.string(),
  category: z.string().nullable(),
  mutuallyExclusive: z.boolean().meta({ description: 'Whether at most one of its markets resolves to yes.' }),
  strikeDate: time().nullable().meta({ description: 'When it happens.' }),
  strikePeriod: z.string().nullable().meta({ description: 'When it happens, in words.' }),
  settlementSources,
  lastUpdatedAt: time().nullable(),
});

export const eventDetailRecord = eventRecord.extend({ markets: z.array(marketRecord) });

export const seriesRecord = z.strictObject({
  ticker: z.string(),
  title: z.string(),
  category: z.string(),
  categories: z.array(z.string()),
  tags: z.array(z.string()),
  frequency: text('`daily`, `weekly`, `one_off` …'),
  settlementSources,
  contractUrl: z.string(),
  contractTermsUrl: z.string(),
  feeType: text('`quadratic`, `quadratic_with_maker_fees`, `flat` …'),
  feeMultiplier: z.number(),
  volume: contracts('Contracts traded ever; null when the exchange does not say.').nullable(),
});

const freeForm = (description: string) => z.record(z.string(), z.unknown()).meta({ description });

export const milestoneRecord = z.strictObject({
  id: z.string(),
  category: z.string(),
  type: z.string(),
  title: z.string(),
  startDate: time(),
  endDate: time().nullable(),
  relatedEventTickers: z.array(z.string()),
  primaryEventTickers: z.array(z.string()),
  notificationMessage: z.string(),
  sourceIds: freeForm('Its ids at the exchange’s sources.'),
  details: freeForm('What is specific to its type.'),
  lastUpdatedAt: time(),
});

export const structuredTargetRecord = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  details: freeForm('What is specific to its type.'),
  sourceId: z.string().nullable(),
  lastUpdatedAt: time().nullable(),
});

export const categoriesRecord = z.strictObject({
  categories: z.record(z.string(), z.array(z.string())).meta({ description: 'Tags by category.' }),
});

const scopes = z.array(z.string()).meta({ description: 'What of it can be bet on.' });

export const sportsRecord = z.strictObject({
  filtersBySports: z.record(
    z.string(),
    z.strictObject({ scopes, competitions: z.record(z.string(), z.strictObject({ scopes })) }),
  ),
  sportOrdering: z.array(z.string()),
});

/** Where the next page begins. */
export const nextCursor = () => z.string().meta({ description: '`cursor` of the next page; empty after the last.' });
