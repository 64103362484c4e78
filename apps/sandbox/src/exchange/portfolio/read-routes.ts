import type { JsonRequest, JsonRoute } from '../../http/json-server.js';
import { takeFault } from '../access/exchange-faults.js';
import type { AccountPosition, AccountSettlement, Exchange } from '../engine/exchange.js';
import { dollarsText } from '../rest/fixed-point.js';
import { pageOf, pageRequest } from '../rest/paging.js';
import { integerOf, listOf, notFound, oneOf, secondsOf, textOf } from '../rest/read-query.js';
import { newestPage } from './newest-page.js';
import type { PortfolioContext } from './portfolio-context.js';
import type { PortfolioView } from './portfolio-view.js';
import { CENT_MICROS, eventPositionJson, fillJson, orderJson, positionJson, settlementJson } from './records-json.js';

const LIST = { normal: 100, most: 1_000 };
const ORDER_STATUS = ['resting', 'canceled', 'executed'] as const;

/** What the account has and did. */
export function readRoutes(context: PortfolioContext, view: PortfolioView): JsonRoute[] {
  const route = (path: string, read: (request: JsonRequest) => unknown): JsonRoute => ({
    method: 'GET',
    path,
    answer: (request) => {
      checkPlace(request.query);
      return { body: read(request) };
    },
  });
  return [
    route('/portfolio/balance', () => balance(context.exchange, view)),
    route('/portfolio/orders', ({ query }) => orders(view, query)),
    route('/portfolio/orders/{id}', ({ names }) => ({ order: order(view, names['id']!) })),
    route('/portfolio/fills', ({ query }) => fills(view, query)),
    route('/portfolio/positions', ({ query }) => positions(view, query)),
    route('/portfolio/settlements', ({ query }) => settlements(context, view, query)),
  ];
}

/** The account has no subaccounts, and the exchange no further shards. */
function checkPlace(query: URLSearchParams): void {
  if ((integerOf(query, 'subaccount') ?? 0) !== 0) throw notFound('no such subaccount');
  if ((integerOf(query, 'exchange_index') ?? 0) > 0) throw notFound('no such exchange index');
}

function balance(exchange: Exchange, view: PortfolioView): unknown {
  const { balanceMicros, positions: held, updatedMs } = view.read('/portfolio/balance');
  const text = dollarsText(balanceMicros);
  return {
    balance: balanceMicros / CENT_MICROS,
    balance_dollars: text,
    portfolio_value: held.reduce((sum, position) => sum + worthMicros(exchange, position), 0n) / CENT_MICROS,
    updated_ts: Math.floor(updatedMs / 1_000),
    balance_breakdown: [{ exchange_index: 0, balance: text }],
  };
}

/** At the market's last price. */
function worthMicros(exchange: Exchange, { ticker, hundredths }: AccountPosition): bigint {
  const price = exchange.market(ticker)!.lastPriceMicros;
  return (hundredths < 0n ? (1_000_000n - price) * -hundredths : price * hundredths) / 100n;
}

/** Filters by market, event and time that all lists have. */
function placeFilter(query: URLSearchParams) {
  const ticker = textOf(query, 'ticker');
  const events = listOf(query, 'event_ticker');
  const fromMs = secondsOf(query, 'min_ts') ?? -Infinity;
  const toMs = secondsOf(query, 'max_ts') ?? Infinity;
  const isNamed = (item: { readonly ticker: string; readonly eventTicker: string }) =>
    (ticker === undefined || item.ticker === ticker) && (events === undefined || events.has(item.eventTicker));
  const isTimely = (timeMs: number) => timeMs >= fromMs && timeMs <= toMs;
  return { tickers: ticker === undefined ? [] : [ticker], isNamed, isTimely };
}

function orders(view: PortfolioView, query: URLSearchParams): unknown {
  const { tickers, isNamed, isTimely } = placeFilter(query);
  const status = oneOf(query, 'status', ORDER_STATUS);
  const page = newestPage(
    view.read('/portfolio/orders', tickers).orders,
    pageRequest(query, LIST),
    (item) => isNamed(item) && isTimely(item.createdMs) && (status === undefined || item.status === status),
  );
  return { orders: page.items.map(orderJson), cursor: page.cursor };
}

function order(view: PortfolioView, orderId: string): unknown {
  const found = view.read(`/portfolio/orders/${orderId}`).orders.find((item) => item.orderId === orderId);
  if (!found) throw notFound(`no order ${orderId}`);
  return orderJson(found);
}

function fills(view: PortfolioView, query: URLSearchParams): unknown {
  const { tickers, isNamed, isTimely } = placeFilter(query);
  const orderId = textOf(query, 'order_id');
  const page = newestPage(
    view.read('/portfolio/fills', tickers).fills,
    pageRequest(query, LIST),
    (item) => isNamed(item) && isTimely(item.timeMs) && (orderId === undefined || item.orderId === orderId),
  );
  return { fills: page.items.map(fillJson), cursor: page.cursor };
}

function positions(view: PortfolioView, query: URLSearchParams): unknown {
  const { tickers, isNamed } = placeFilter(query);
  const wanted = listOf(query, 'count_filter') ?? new Set(['position', 'total_traded']);
  const { items, cursor } = pageOf(
    {
      items: view.read('/portfolio/positions', tickers).positions,
      keyOf: ({ ticker }) => ticker,
      keep: (item) =>
        isNamed(item) &&
        ((wanted.has('position') && item.hundredths !== 0n) || (wanted.has('total_traded') && item.tradedMicros > 0n)),
    },
    pageRequest(query, LIST),
  );
  const events = new Map<string, AccountPosition[]>();
  for (const item of items) events.set(item.eventTicker, [...(events.get(item.eventTicker) ?? []), item]);
  return {
    market_positions: items.map(positionJson),
    event_positions: [...events].map(([ticker, held]) => eventPositionJson(ticker, held)),
    cursor,
  };
}

function settlements({ faults }: PortfolioContext, view: PortfolioView, query: URLSearchParams): unknown {
  const { tickers, isNamed, isTimely } = placeFilter(query);
  const path = '/portfolio/settlements';
  const page = newestPage(
    view.read(path, tickers).settlements,
    pageRequest(query, LIST),
    (item) => isNamed(item) && isTimely(item.timeMs),
  );
  const shown = ({ ticker }: AccountSettlement) =>
    takeFault(faults, 'duplicateSettlement', { method: 'GET', path, tickers: [ticker], byDefault: true }) ? 2 : 1;
  const rows = page.items.flatMap((item) => new Array<AccountSettlement>(shown(item)).fill(item));
  return { settlements: rows.map(settlementJson), cursor: page.cursor };
}
