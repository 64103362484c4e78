import { asksFor, bidsFor, type Book, type FeeTerms, type PriceLevel, type Side } from '@agent-wallet/kalshi';
import { AppError, notFound } from '@agent-wallet/kernel';
import type { LedgerReader } from '../../ports/ledger-store.js';
import type { Exchange, ExchangeMarket } from '../../ports/exchange.js';

/** A market in which orders are taken now. */
export interface MarketSnapshot {
  readonly market: ExchangeMarket;
  readonly book: Book;
  readonly fees: FeeTerms;
}

interface Dependencies {
  readonly exchange: Pick<Exchange, 'market' | 'orderbook' | 'feeTerms' | 'status'>;
  readonly ledger: Pick<LedgerReader, 'ordersHalted'>;
}

/**
 * Reads what an order in a market needs to know.
 * @throws AppError NOT_FOUND, MARKET_CLOSED, MARKET_PAUSED; SERVICE_UNAVAILABLE while orders are stopped, here or at the
 *   exchange; what the exchange's reads throw
 */
export async function fetchMarket(
  { exchange, ledger }: Dependencies,
  data: { readonly ticker: string; readonly side: Side },
): Promise<MarketSnapshot> {
  const { ticker } = data;
  const [stopped, status, market, book] = await Promise.all([
    ledger.ordersHalted(),
    exchange.status(),
    exchange.market(ticker),
    exchange.orderbook(ticker).catch(emptyIfUnknown),
  ]);
  if (!market) throw notFound('market', 'Check its ticker.');
  if (market.status !== 'open') throw new AppError('MARKET_CLOSED', { data });
  if (market.paused) throw new AppError('MARKET_PAUSED', { data });
  if (!status.tradingActive) throw unavailable('Trading at the exchange is halted. Try again later.');
  if (stopped !== undefined) throw unavailable('The service has halted orders. Try again later.');
  const fees = await exchange.feeTerms(market).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'MARKET_CLOSED' ? error.with(data) : error;
  });
  return { market, book, fees };
}

/** Returns the book's levels that an order meets, the best price first, in prices of its own side. */
export function levelsFor(book: Book, { action, side }: { action: 'buy' | 'sell'; side: Side }): readonly PriceLevel[] {
  return action === 'buy' ? asksFor(book, side) : bidsFor(book, side);
}

/** Returns the error of an order that the service cannot take now; nothing moved. */
export function unavailable(message: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { message });
}

/** Returns an empty book for an unknown market: the market's own response says better what is wrong. */
function emptyIfUnknown(error: unknown): Book {
  if (error instanceof AppError && error.code === 'NOT_FOUND') return { yesBids: [], noBids: [] };
  throw error;
}
