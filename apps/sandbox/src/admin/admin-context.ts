import type { PriceBoard } from '../market/price-board.js';
import type { Chain } from '../chain/chain.js';
import type { Exchange } from '../exchange/engine/exchange.js';
import type { ExchangeWorld } from '../exchange/world/exchange-world.js';
import type { FaultBoard } from '../faults/fault-board.js';
import type { Journal } from '../journal/journal.js';
import type { LiquidityVenue } from '../liquidity/liquidity-venue.js';
import type { MakerSwapContext } from '../liquidity/maker-swap.js';
import type { Inbox } from '../mail/inbox.js';
import type { Faucet } from '../tokens/faucet.js';
import type { MintMaker } from '../tokens/mint-maker.js';
import type { TokenRegistry } from '../tokens/registry.js';

/** Everything the admin API looks at and moves. */
export interface AdminContext extends MakerSwapContext {
  readonly chain: Chain;
  readonly tokens: TokenRegistry;
  readonly prices: PriceBoard;
  readonly exchange: Exchange;
  readonly exchangeWorld: ExchangeWorld;
  readonly faults: FaultBoard;
  readonly inbox: Inbox;
  readonly faucet: Faucet;
  readonly mintMaker: MintMaker;
  readonly liquidity: LiquidityVenue;
  readonly journal: Journal;
  /** Whether every part serves. */
  readonly isReady: () => boolean;
}
