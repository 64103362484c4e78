import type { Exchange } from '../engine/exchange.js';
import type { ExchangeWorld } from '../world/exchange-world.js';

/** What the routes of market data look at. */
export interface MarketDataContext {
  readonly exchange: Exchange;
  readonly world: ExchangeWorld;
}
