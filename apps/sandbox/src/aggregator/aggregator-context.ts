import type { Chain } from '../chain/chain.js';
import type { FaultBoard } from '../faults/fault-board.js';
import type { Journal } from '../journal/journal.js';
import type { LiquidityVenue } from '../liquidity/liquidity-venue.js';
import type { Market } from '../market/market.js';
import type { TokenRegistry } from '../tokens/registry.js';
import type { PriceBoard } from '../market/price-board.js';

/** What the aggregator's routes look at. */
export interface AggregatorContext {
  readonly chain: Chain;
  readonly tokens: TokenRegistry;
  readonly prices: PriceBoard;
  readonly faults: FaultBoard;
  readonly journal: Journal;
  readonly market: Market;
  readonly liquidity: LiquidityVenue;
}
