import type { JsonRoute } from '../../http/json-server.js';
import type { Level, MarketState, Trade } from '../engine/exchange.js';
import { countText, dollarsText } from './fixed-point.js';
import type { MarketDataContext } from './market-data-context.js';
import { marketFilter } from './market-filter.js';
import { marketJson, timeText } from './market-json.js';
import { pageOf, pageRequest } from './paging.js';
import { integerOf, invalid, listOf, notFound, oneOf, secondsOf, textOf } from './read-query.js';

const MOST_BOOKS = 100;
const MOST_DEPTH = 100;

/** Markets, their order books and trades. */
export function marketRoutes(context: MarketDataContext): JsonRoute[] {
  const { exchange } = context;
  return [
    { method: 'GET', path: '/markets', answer: ({ query }) => ({ body: markets(context, query) }) },
    { method: 'GET', path: '/markets/trades', answer: ({ query }) => ({ body: trades(context, query) }) },
    { method: 'GET', path: '/markets/orderbooks', answer: ({ query }) => ({ body: orderbooks(context, query) }) },
    {
      method: 'GET',
      path: '/markets/{ticker}',
      answer: ({ names }) => ({ body: { market: marketJson(context, known(context, names['ticker']!)) } }),
    },
    {
      method: 'GET',
      path: '/markets/{ticker}/orderbook',
      answer: ({ names, query }) => {
        const { ticker } = known(context, names['ticker']!);
        return { body: { orderbook_fp: bookJson(exchange.book(ticker), depthOf(query)) } };
      },
    },
  ];
}

function known({ exchange }: MarketDataContext, ticker: string): MarketState {
  const market = exchange.market(ticker);
  if (!market) throw notFound('market not found');
  return market;
}

function markets(context: MarketDataContext, query: URLSearchParams): unknown {
  const keep = marketFilter(query, context.world);
  const list = { items: context.exchange.markets(), keyOf: (market: MarketState) => market.ticker, keep };
  const { items, cursor } = pageOf(list, pageRequest(query, { normal: 100, most: 1_000 }));
  return { markets: items.map((market) => marketJson(context, market)), cursor };
}

function depthOf(query: URLSearchParams): number {
  const depth = integerOf(query, 'depth') ?? 0;
  if (depth > MOST_DEPTH) throw invalid(`depth must be at most ${MOST_DEPTH}`);
  return depth <= 0 ? Infinity : depth;
}

/** Bids only, the best one last. */
function bookJson({ yes, no }: { yes: readonly Level[]; no: readonly Level[] }, depth: number): unknown {
  const side = (levels: readonly Level[]) => {
    const best = levels.slice(0, depth).reverse();
    return best.map(([priceMicros, hundredths]) => [dollarsText(priceMicros), countText(hundredths)]);
  };
  return { yes_dollars: side(yes), no_dollars: side(no) };
}

function orderbooks(context: MarketDataContext, query: URLSearchParams): unknown {
  const tickers = listOf(query, 'tickers');
  if (!tickers || tickers.size > MOST_BOOKS) throw invalid(`tickers must name 1 to ${MOST_BOOKS} markets`);
  const books = [...tickers].map((name) => {
    const { ticker } = known(context, name);
    return { ticker, orderbook_fp: bookJson(context.exchange.book(ticker), Infinity) };
  });
  return { orderbooks: books };
}

/** Newest first. */
function trades({ exchange }: MarketDataContext, query: URLSearchParams): unknown {
  const ticker = textOf(query, 'ticker');
  const fromMs = secondsOf(query, 'min_ts') ?? -Infinity;
  const toMs = secondsOf(query, 'max_ts') ?? Infinity;
  const isBlock = oneOf(query, 'is_block_trade', ['true', 'false']) === 'true';
  const list = {
    items: [...exchange.trades()].reverse(),
    keyOf: (trade: Trade) => trade.tradeId,
    keep: (trade: Trade) =>
      !isBlock && (ticker === undefined || trade.ticker === ticker) && trade.timeMs >= fromMs && trade.timeMs <= toMs,
  };
  const { items, cursor } = pageOf(list, pageRequest(query, { normal: 100, most: 1_000 }));
  return { trades: items.map(tradeJson), cursor };
}

function tradeJson(trade: Trade): unknown {
  return {
    trade_id: trade.tradeId,
    ticker: trade.ticker,
    count_fp: countText(trade.hundredths),
    yes_price_dollars: dollarsText(trade.yesPriceMicros),
    no_price_dollars: dollarsText(1_000_000n - trade.yesPriceMicros),
    taker_side: trade.takerOutcome,
    taker_outcome_side: trade.takerOutcome,
    taker_book_side: trade.takerOutcome === 'yes' ? 'bid' : 'ask',
    created_time: timeText(trade.timeMs),
    is_block_trade: false,
  };
}
