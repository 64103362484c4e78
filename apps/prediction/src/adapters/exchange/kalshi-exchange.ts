import { AppError, type Clock } from '@agent-wallet/kernel';
import {
  balanceResponse,
  type Book,
  eventResponse,
  type FeeTerms,
  feeTermsOf,
  fillsResponse,
  marketResponse,
  orderbookResponse,
  ordersResponse,
  positionsResponse,
  seriesResponse,
  settlementsResponse,
  statusResponse,
  userDataTimestampResponse,
} from '@agent-wallet/kalshi';
import type {
  Exchange,
  ExchangeFill,
  ExchangeMarket,
  ExchangeOrder,
  ExchangeSettlement,
  NewOrder,
  Placement,
  SlotRequest,
  WantedOrder,
} from '../../ports/exchange.js';
import { RecentCache } from './recent-cache.js';
import type { KalshiReader, Shape } from './kalshi-reader.js';
import { isName } from './names.js';
import type { OrderSender } from './order-sender.js';

/** Dependencies of the adapter of the operator's account. */
interface KalshiExchangeDependencies {
  readonly reader: Pick<KalshiReader, 'ask' | 'find' | 'pages'>;
  readonly sender: Pick<OrderSender, 'send'>;
  readonly hints: { readonly onHint: (listener: () => void) => void };
  readonly clock: Clock;
}

const PAGE = '100';
const FEE_TERMS_FRESH_MS = 2 * 60_000;
const STATUS_FRESH_MS = 5_000;
/**
 * Agents who order in the same market at the same moment share one snapshot of it. A snapshot that is a moment old does
 * no harm: limit price and escrow bind the order. The exchange itself refuses an order once the market has closed or
 * paused. After a market opens again, orders may be refused for as long as a snapshot lives.
 */
const SNAPSHOT_FRESH_MS = 300;
/** Fee terms of so many events are remembered. */
const MAX_REMEMBERED = 5_000;
/** Markets and ledger. */
const MAX_SNAPSHOTS = 1_000;

/** The operator's account at the exchange, over HTTP. */
export class KalshiExchange implements Exchange {
  readonly #memory: RecentCache;
  readonly #snapshots: RecentCache;

  constructor(private readonly dependencies: KalshiExchangeDependencies) {
    // Terms and status decide about money: none older than said.
    this.#memory = new RecentCache(dependencies.clock, { maxRecords: MAX_REMEMBERED, maxStaleMs: 0 });
    this.#snapshots = new RecentCache(dependencies.clock, { maxRecords: MAX_SNAPSHOTS, maxStaleMs: 0 });
  }

  async market(ticker: string): Promise<ExchangeMarket | undefined> {
    if (!isName(ticker)) return undefined;
    const ask = () => this.dependencies.reader.find({ ...seen(marketResponse), path: `/markets/${ticker}` });
    const found = await this.#snapshots.get(`market ${ticker}`, { freshMs: SNAPSHOT_FRESH_MS, ask });
    // Of another market nothing must be bought, sold or paid.
    if (found && found.market.ticker.toUpperCase() !== ticker.toUpperCase()) {
      throw new AppError('UPSTREAM_ERROR', { cause: new Error(`the exchange answers another market than ${ticker}`) });
    }
    return found?.market;
  }

  async orderbook(ticker: string): Promise<Book> {
    const readQuery = { ...seen(orderbookResponse), path: `/markets/${ticker}/orderbook` };
    const ask = () => this.dependencies.reader.find(readQuery);
    const found = isName(ticker)
      ? await this.#snapshots.get(`book ${ticker}`, { freshMs: SNAPSHOT_FRESH_MS, ask })
      : undefined;
    if (!found) throw new AppError('NOT_FOUND', { data: { resource: 'market' } });
    return found;
  }

  feeTerms({ eventTicker }: Pick<ExchangeMarket, 'eventTicker'>): Promise<FeeTerms> {
    const ask = () => this.#feeTerms(eventTicker);
    return this.#memory.get(`fees ${eventTicker}`, { freshMs: FEE_TERMS_FRESH_MS, ask });
  }

  status(): Promise<{ readonly tradingActive: boolean }> {
    const ask = () => this.dependencies.reader.ask({ ...seen(statusResponse), path: '/exchange/status' });
    return this.#memory.get('status', { freshMs: STATUS_FRESH_MS, ask });
  }

  placeOrder(order: NewOrder, slot: SlotRequest): Promise<Placement> {
    return this.dependencies.sender.send(order, slot);
  }

  async findOrder({ ticker, clientOrderId, sinceMs }: WantedOrder): Promise<ExchangeOrder | undefined> {
    const query = new URLSearchParams({ ticker, min_ts: seconds(sinceMs), limit: PAGE });
    for await (const { orders } of this.dependencies.reader.pages({
      ...own(ordersResponse),
      path: '/portfolio/orders',
      query,
    })) {
      const found = orders.find((order) => order.clientOrderId === clientOrderId);
      if (found) return found;
    }
    return undefined;
  }

  async fills(orderId: string): Promise<ExchangeFill[]> {
    const query = new URLSearchParams({ order_id: orderId, limit: PAGE });
    const byId = new Map<string, ExchangeFill>();
    for await (const { fills } of this.dependencies.reader.pages({
      ...own(fillsResponse),
      path: '/portfolio/fills',
      query,
    })) {
      // A fill that comes while pages are turned may show on two of them.
      for (const fill of fills) if (fill.orderId === orderId) byId.set(fill.fillId, fill);
    }
    return [...byId.values()];
  }

  async asOfMs(): Promise<number> {
    return this.dependencies.reader.ask({ ...own(userDataTimestampResponse), path: '/exchange/user_data_timestamp' });
  }

  async balance(): Promise<{ readonly cashUsdMicros: bigint }> {
    return this.dependencies.reader.ask({ ...own(balanceResponse), path: '/portfolio/balance' });
  }

  async positions(): Promise<ReadonlyMap<string, bigint>> {
    const query = new URLSearchParams({ count_filter: 'position', limit: PAGE });
    const found = new Map<string, bigint>();
    const readQuery = { ...own(positionsResponse), path: '/portfolio/positions', query };
    for await (const page of this.dependencies.reader.pages(readQuery)) {
      for (const { ticker, count } of page.market_positions) if (count !== 0n) found.set(ticker, count);
    }
    return found;
  }

  async settlements(sinceMs: number): Promise<ExchangeSettlement[]> {
    const query = new URLSearchParams({ min_ts: seconds(sinceMs), limit: PAGE });
    const found: ExchangeSettlement[] = [];
    const readQuery = { ...own(settlementsResponse), path: '/portfolio/settlements', query };
    for await (const { settlements } of this.dependencies.reader.pages(readQuery)) found.push(...settlements);
    return found;
  }

  onHint(listener: () => void): void {
    this.dependencies.hints.onHint(listener);
  }

  async #feeTerms(eventTicker: string): Promise<FeeTerms> {
    if (!isName(eventTicker)) throw new AppError('NOT_FOUND', { data: { resource: 'event' } });
    const { reader } = this.dependencies;
    const event = await reader.ask({ ...seen(eventResponse), path: `/events/${eventTicker}` });
    const { feeTypeOverride, feeMultiplierOverride, seriesTicker } = event;
    if (!isName(seriesTicker)) throw new AppError('UPSTREAM_ERROR');
    const { series } = await reader.ask({ ...seen(seriesResponse), path: `/series/${seriesTicker}` });
    const terms = feeTermsOf(feeTypeOverride || series.feeType, feeMultiplierOverride || series.feeMultiplier);
    if (terms) return terms;
    throw new AppError('MARKET_CLOSED', {
      message: 'The market is not supported: its fees cannot be calculated. Choose another market.',
    });
  }
}

/** Returns the terms of a read of market data, which is public. */
function seen<T>(shape: Shape<T>) {
  return { isSigned: false, lane: 'operations', shape } as const;
}

/** Returns the terms of a read of the account. */
function own<T>(shape: Shape<T>) {
  return { isSigned: true, lane: 'operations', shape } as const;
}

function seconds(ms: number): string {
  return Math.floor(ms / 1_000).toString();
}
