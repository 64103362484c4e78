import type { Clock } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import { type Database, type Logger, stopInOrder } from '@agent-wallet/platform';
import { Bookkeeping } from '../../application/ledger/bookkeeping.js';
import { WatchBooks } from '../../application/reconciliation/watch-books.js';
import { SettleMarkets } from '../../application/settlement/settle-markets.js';
import type { Exchange } from '../../ports/exchange.js';
import type { AbandonedOrderStore } from '../../ports/abandoned-order-store.js';
import type { Wallet } from '../../ports/wallet.js';
import { PostgresReconciliationStore } from './postgres-reconciliation-store.js';
import { PostgresAbandonedOrderStore } from './postgres-abandoned-order-store.js';
import { PostgresLeader } from './postgres-leader.js';
import { PostgresSettlementStore } from './postgres-settlement-store.js';
import { watchComparison } from './watch-comparison.js';

/** What keeps the books works with. */
export interface BookkeepingOptions {
  readonly database: Database;
  readonly exchange: Exchange;
  readonly wallet: Pick<Wallet, 'getTreasury'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often it looks by itself, in milliseconds. */
export interface BookkeepingPace {
  readonly settlementIdleMs?: number;
  readonly comparisonIdleMs?: number;
}

/** What keeps the books in step with the outside. */
export interface OpenBookkeeping {
  readonly bookkeeping: Bookkeeping;
  readonly givenUp: AbandonedOrderStore;
  /** Settles and compares by itself from here on. @returns what ends that */
  readonly start: (pace?: BookkeepingPace) => { stop(): Promise<void> };
}

/** Puts the bookkeeping together; nothing happens by itself before `start`. */
export function openBookkeeping(options: BookkeepingOptions): OpenBookkeeping {
  const { database, exchange, wallet, clock, logger } = options;
  const outbox = createOutbox('prediction', clock);
  const leader = new PostgresLeader(database);
  const comparisons = new PostgresReconciliationStore(database, outbox);
  const givenUp = new PostgresAbandonedOrderStore(database, outbox);
  const settlements = new PostgresSettlementStore({ database, outbox, clock });
  const settling = new SettleMarkets({ books: settlements, exchange, leader, clock, logger });
  const watching = new WatchBooks({ books: comparisons, wallet, exchange, leader, clock, logger });
  return {
    bookkeeping: new Bookkeeping(watching, comparisons, givenUp),
    givenUp,
    start: ({ settlementIdleMs, comparisonIdleMs } = {}) => {
      const gauges = watchComparison(database);
      const loops = [settling.start(settlementIdleMs), watching.start(comparisonIdleMs)];
      return {
        stop: () =>
          stopInOrder(
            () => gauges.stop(),
            () => Promise.all(loops.map((loop) => loop.stop())),
          ),
      };
    },
  };
}
