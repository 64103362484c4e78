import { AmountError, formatAmount, parseAmount } from '@agent-wallet/kernel';
import { z } from 'zod';
import { RawJson } from '../encoding/json.js';
import { type Level, type MarketState, Refusal } from '../exchange/engine/exchange.js';
import { specOf } from '../exchange/world/listing.js';
import { marketTexts } from '../exchange/world/made-to-order.js';
import { PRICE_STRUCTURES } from '../exchange/world/records.js';
import { statusWord } from '../exchange/rest/market-filter.js';
import { BadRequest, type JsonRoute, readBy } from '../http/json-server.js';
import type { AdminContext } from './admin-context.js';

const DAY_MS = 24 * 3_600_000;
const DOLLAR_MICROS = 1_000_000n;
/** A hundredth of a cent is a millionth of a dollar times a hundred: cents have four decimals in micro-dollars. */
const CENT_DECIMALS = 4;
const COUNT_DECIMALS = 2;

/** What may stand in a path as it is. */
const Ticker = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, ".", "_" and "-"');
const Numeric = z.union([z.number(), z.string()]);

const MarketBody = z.strictObject({
  seriesTicker: Ticker.optional(),
  eventTicker: Ticker.optional(),
  ticker: Ticker,
  title: z.string().min(1).max(500),
  yesAsk: z.int().min(1).max(100),
  yesBid: z.int().min(0).max(99),
  size: Numeric,
  closeTime: z.iso.datetime({ offset: true }).optional(),
  priceStructure: z.enum(PRICE_STRUCTURES).optional(),
});

const Levels = z.array(z.tuple([Numeric, Numeric])).max(200);
const BookBody = z.strictObject({ yesBids: Levels, noBids: Levels });

const SettleBody = z.strictObject({
  result: z.enum(['yes', 'no', 'void', 'scalar']),
  valueCents: z.int().min(0).max(100).optional(),
});

const StatusBody = z.strictObject({ status: z.enum(['open', 'paused', 'closed']) });

/** Looks at the exchange's markets, adds some, and moves them. */
export function marketRoutes(context: AdminContext): JsonRoute[] {
  const { exchange, exchangeWorld, journal } = context;
  const moving = (path: string, move: (ticker: string, body: unknown) => void): JsonRoute => ({
    method: 'POST',
    path,
    answer: async ({ names, body }) => {
      const ticker = names['ticker']!;
      if (!exchange.market(ticker)) throw new BadRequest(`unknown market: ${ticker}`, 404);
      refusing(() => move(ticker, body));
      await journal.synced();
      return { body: { market: marketJson(context, exchange.market(ticker)!) } };
    },
  });
  return [
    {
      method: 'GET',
      path: '/markets',
      answer: () => ({ body: { markets: [...exchange.markets()].map((market) => marketJson(context, market)) } }),
    },
    {
      method: 'POST',
      path: '/markets',
      answer: async ({ body }) => {
        const order = readBy(MarketBody, body);
        refusing(() => addMarket(context, order));
        await journal.synced();
        return { body: { market: marketJson(context, exchange.market(order.ticker)!) } };
      },
    },
    moving('/markets/{ticker}/book', (ticker, body) => {
      const { yesBids, noBids } = readBy(BookBody, body);
      exchange.setQuotes(ticker, { yesBids: levels('yesBids', yesBids), noBids: levels('noBids', noBids) });
      exchangeWorld.pin(ticker);
    }),
    moving('/markets/{ticker}/settle', (ticker, body) => exchange.settle(ticker, readBy(SettleBody, body))),
    moving('/markets/{ticker}/status', (ticker, body) => exchange.setStatus(ticker, readBy(StatusBody, body).status)),
  ];
}

/** What the exchange refuses is bad input here. */
export function refusing(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) throw new BadRequest(`${error.code}: ${error.message}`, error.status);
    throw error;
  }
}

function addMarket({ exchange, exchangeWorld }: AdminContext, order: z.infer<typeof MarketBody>): void {
  if (exchange.market(order.ticker)) throw new BadRequest(`the market ${order.ticker} is there already`, 409);
  if (order.yesBid >= order.yesAsk) throw new BadRequest('yesBid: must be below yesAsk');
  const size = exact('size', order.size, COUNT_DECIMALS);
  const nowMs = exchange.nowMs();
  const closeTimeMs = order.closeTime === undefined ? nowMs + 30 * DAY_MS : Date.parse(order.closeTime);
  if (closeTimeMs <= nowMs) throw new BadRequest('closeTime: must be in the future of the exchange’s clock');
  const addition = marketTexts(exchangeWorld, order, { nowMs, closeTimeMs });
  exchangeWorld.add(addition);
  exchange.addMarket(specOf(exchangeWorld, addition.market, { openTimeMs: nowMs, closeTimeMs }));
  exchange.setQuotes(order.ticker, {
    yesBids: order.yesBid === 0 ? [] : [[cents(order.yesBid), size]],
    noBids: order.yesAsk === 100 ? [] : [[DOLLAR_MICROS - cents(order.yesAsk), size]],
  });
}

function cents(whole: number): bigint {
  return BigInt(whole) * 10_000n;
}

function levels(name: string, given: ReadonlyArray<readonly [string | number, string | number]>): Level[] {
  return given.map(([price, count], i) => [
    exact(`${name}.${i}.0`, price, CENT_DECIMALS),
    exact(`${name}.${i}.1`, count, COUNT_DECIMALS),
  ]);
}

function exact(name: string, given: string | number, decimals: number): bigint {
  try {
    return parseAmount(String(given), decimals);
  } catch (error) {
    if (error instanceof AmountError) throw new BadRequest(`${name}: ${error.message}`);
    throw error;
  }
}

/** Prices in cents; null without a bid. */
function marketJson({ exchange, exchangeWorld }: AdminContext, market: MarketState): unknown {
  const text = exchangeWorld.text(market.ticker)!;
  const { yes, no } = exchange.book(market.ticker);
  const price = (micros: bigint | undefined) => (micros === undefined ? null : centsJson(micros));
  const [yesBid, noBid] = [yes[0]?.[0], no[0]?.[0]];
  return {
    ticker: market.ticker,
    eventTicker: market.eventTicker,
    seriesTicker: exchangeWorld.events.get(market.eventTicker)!.seriesTicker,
    title: text.title,
    status: statusWord(market),
    exchangeStatus: market.status,
    yesBid: price(yesBid),
    yesAsk: price(noBid === undefined ? undefined : DOLLAR_MICROS - noBid),
    noBid: price(noBid),
    noAsk: price(yesBid === undefined ? undefined : DOLLAR_MICROS - yesBid),
    lastPrice: market.lastPriceMicros === 0n ? null : centsJson(market.lastPriceMicros),
    volume: new RawJson(formatAmount(market.volumeHundredths, COUNT_DECIMALS)),
    openInterest: new RawJson(formatAmount(market.openInterestHundredths, COUNT_DECIMALS)),
    openTime: new Date(market.openTimeMs).toISOString(),
    closeTime: new Date(market.closeTimeMs).toISOString(),
    result: market.result ?? null,
    valueCents: market.settlementValueMicros === undefined ? null : centsJson(market.settlementValueMicros),
  };
}

function centsJson(micros: bigint): RawJson {
  return new RawJson(formatAmount(micros, CENT_DECIMALS));
}
