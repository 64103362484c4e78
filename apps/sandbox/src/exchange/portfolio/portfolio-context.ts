import type { FaultBoard } from '../../faults/fault-board.js';
import type { Journal } from '../../journal/journal.js';
import type { Tier } from '../access/quota.js';
import type { Exchange } from '../engine/exchange.js';

/** What the account's routes work on. */
export interface PortfolioContext {
  readonly exchange: Exchange;
  readonly faults: FaultBoard;
  readonly journal: Journal;
  readonly tier: Tier;
}
