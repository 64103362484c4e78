import { categoriesResponse, sportsResponse } from '../application/responses/catalog-event-response.js';
import {
  statusFilter,
  marketResponse,
  marketDetailResponse,
  orderbookResponse,
} from '../application/responses/market-response.js';
import { required } from '../ports/services.js';
import { z } from 'zod';
import { optionalText, queryCursor, queryFlag, queryInteger } from './schemas/fields.js';
import { categoriesRecord, sportsRecord } from './schemas/catalog-event-records.js';
import { MARKET_STATUSES, marketPage, marketResult, orderbookRecord } from './schemas/market-records.js';
import { defineRoute, type Route } from './route.js';

/** The part of the contract that every read of the exchange has. */
export const READ = { method: 'GET', auth: 'bearer', area: 'Prediction markets' } as const;

/** An example of a market in a list. */
export const MARKET = {
  ticker: 'KXFED-26DEC-T4.00',
  eventTicker: 'KXFED-26DEC',
  title: 'Fed funds rate above 4.00% after the December meeting?',
  subtitle: 'If the upper bound of the target rate is above 4.00%, the market resolves to Yes.',
  status: 'open',
  paused: false,
  yesBid: 62,
  yesAsk: 65,
  noBid: 35,
  noAsk: 38,
  lastPrice: 64,
  yesBidDollars: '0.62',
  yesAskDollars: '0.65',
  noBidDollars: '0.35',
  noAskDollars: '0.38',
  lastPriceDollars: '0.64',
  volume24h: 1250,
  openInterest: 9800,
  closeTime: '2026-12-10T18:55:00.000Z',
} as const;
const DETAILS = {
  marketType: 'binary',
  yesSubTitle: 'Above 4.00%',
  noSubTitle: '4.00% or lower',
  openTime: '2026-10-01T14:00:00.000Z',
  expectedExpirationTime: null,
  latestExpirationTime: '2026-12-17T15:00:00.000Z',
  settlementTimerSeconds: 3600,
  volume: 54210,
  previousPrice: 61,
  previousPriceDollars: '0.61',
  result: '',
  settlementValue: null,
  settlementValueDollars: null,
  settledAt: null,
  canCloseEarly: true,
  strikeType: null,
  floorStrike: null,
  capStrike: null,
  rulesPrimary: 'If the upper bound of the target rate is above 4.00%, the market resolves to Yes.',
  rulesSecondary: '',
} as const;

const ticker = () => z.string().meta({ description: '`ticker` of a market.' });

const categoriesRoute = defineRoute(
  {
    ...READ,
    id: 'getPredictionCategories',
    path: '/predictions/categories',
    summary: 'Get categories of markets with their tags',
    response: categoriesRecord,
    errors: ['POLICY_VIOLATION'],
    example: { response: { categories: { Economics: ['Fed', 'Inflation'], Sports: ['Football'] } } },
  },
  async ({ caller: { agentId } }, { services: { catalog } }) => {
    return { data: categoriesResponse(await catalog.listCategories({ agentId })) };
  },
);

const sportsRoute = defineRoute(
  {
    ...READ,
    id: 'getPredictionSports',
    path: '/predictions/sports',
    summary: 'Get the filters for sports: competitions and scopes',
    response: sportsRecord,
    errors: ['POLICY_VIOLATION'],
    example: {
      response: {
        filtersBySports: { Football: { scopes: ['Games'], competitions: { NFL: { scopes: ['Games'] } } } },
        sportOrdering: ['Football'],
      },
    },
  },
  async ({ caller: { agentId } }, { services: { catalog } }) => {
    return { data: sportsResponse(await catalog.listSports({ agentId })) };
  },
);

const marketsRoute = defineRoute(
  {
    ...READ,
    id: 'listMarkets',
    tool: true,
    path: '/predictions/markets',
    summary: 'List markets: yes/no questions that can be traded',
    notes:
      'A series (a topic) has events (occurrences), an event has markets (questions). Prices are integer cents, the implied ' +
      'probability of yes in percent, with the exact price in dollars beside them. A winning contract pays 1 USD. Every ' +
      'endpoint of this area needs `allowPredictionMarkets`. Answers are at most a few seconds old.',
    query: z.strictObject({
      status: z
        .enum(MARKET_STATUSES, `must be one of ${MARKET_STATUSES.join(', ')}`)
        .optional()
        .meta({ description: 'Filter by market status.' }),
      event_ticker: optionalText(100, 'Only markets of this event.'),
      series_ticker: optionalText(100, 'Only markets of this series.'),
      limit: queryInteger({ min: 1, max: 1_000, default: 50 }, 'Markets in the answer.'),
      cursor: queryCursor(),
      tradeable_only: queryFlag('`true` answers only open markets with an ask or a bid. A page may then be shorter.'),
    }),
    response: marketPage,
    errors: ['POLICY_VIOLATION'],
    example: { response: { markets: [{ ...MARKET }], cursor: '' } },
  },
  async ({ input: { query }, caller: { agentId } }, { services: { catalog } }) => {
    const { markets, cursor } = await catalog.listMarkets({
      agentId,
      status: statusFilter(query.status),
      eventTicker: query.event_ticker,
      seriesTicker: query.series_ticker,
      tradeableOnly: query.tradeable_only,
      limit: query.limit,
      cursor: query.cursor,
    });
    return { data: { markets: markets.map(marketResponse), cursor } };
  },
);

const marketRoute = defineRoute(
  {
    ...READ,
    id: 'getMarket',
    tool: true,
    path: '/predictions/markets/{ticker}',
    summary: 'Get a market with its rules',
    params: z.strictObject({ ticker: ticker() }),
    response: marketResult,
    errors: ['POLICY_VIOLATION', 'NOT_FOUND'],
    example: { response: { market: { ...MARKET, ...DETAILS } } },
  },
  async (
    {
      input: {
        params: { ticker },
      },
      caller: { agentId },
    },
    { services: { catalog } },
  ) => {
    const { market } = await catalog.getMarket({ agentId, ticker });
    return { data: { market: marketDetailResponse(required(market, 'market')) } };
  },
);

const orderbookRoute = defineRoute(
  {
    ...READ,
    id: 'getOrderbook',
    tool: true,
    path: '/predictions/markets/{ticker}/orderbook',
    summary: 'Get the order book of a market',
    notes: 'Bids only: who wants yes at 62 cents trades with a bid of 38 cents for no.',
    params: z.strictObject({ ticker: ticker() }),
    query: z.strictObject({
      depth: queryInteger({ min: 0, max: 100, default: 0 }, 'Prices on each side, the best ones; 0 for all.'),
    }),
    response: orderbookRecord,
    errors: ['POLICY_VIOLATION', 'NOT_FOUND'],
    example: {
      response: {
        ticker: 'KXFED-26DEC-T4.00',
        yes: [
          { price: 61, priceDollars: '0.61', quantity: 400 },
          { price: 62, priceDollars: '0.62', quantity: 150 },
        ],
        no: [{ price: 35, priceDollars: '0.35', quantity: 300 }],
      },
    },
  },
  async ({ input: { params, query }, caller: { agentId } }, { services: { catalog } }) => {
    const { orderbook } = await catalog.getOrderbook({ agentId, ticker: params.ticker, depth: query.depth });
    return { data: orderbookResponse(required(orderbook, 'orderbook')) };
  },
);

/** Routes of markets and their filters, in the order of the documents. */
export const CATALOG_ROUTES: readonly Route[] = [
  categoriesRoute,
  sportsRoute,
  marketsRoute,
  marketRoute,
  orderbookRoute,
];
