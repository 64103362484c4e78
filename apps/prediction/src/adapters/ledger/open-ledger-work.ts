import type { Clock } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import { type Database, type Logger, stopInOrder } from '@agent-wallet/platform';
import { LedgerAdministration } from '../../application/ledger/ledger-administration.js';
import { WatchLedger } from '../../application/reconciliation/watch-ledger.js';
import { SettleMarkets } from '../../application/settlement/settle-markets.js';
import type { Exchange } from '../../ports/exchange.js';
import type { AbandonedOrderStore } from '../../ports/abandoned-order-store.js';
import type { Wallet } from '../../ports/wallet.js';
import { PostgresReconciliationStore } from './postgres-reconciliation-store.js';
import { PostgresAbandonedOrderStore } from './postgres-abandoned-order-store.js';
import { PostgresLeader } from './postgres-leader.js';
import { PostgresSettlementStore } from './postgres-settlement-store.js';
import { watchComparison } from './watch-comparison.js';

/** What keeps the ledger works with. */
export interface LedgerWorkOptions {
  readonly database: Database;
  readonly exchange: Exchange;
  readonly wallet: Pick<Wallet, 'getTreasury'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often it looks by itself, in milliseconds. */
export interface LedgerTiming {
  readonly settlementIdleMs?: number;
  readonly comparisonIdleMs?: number;
}

/** What keeps the ledger in step with chain and exchange. */
export interface OpenLedgerWork {
  readonly ledgerAdministration: LedgerAdministration;
  readonly abandoned: AbandonedOrderStore;
  /** Settles and compares by itself from here on. @returns what ends that */
  readonly start: (timing?: LedgerTiming) => { stop(): Promise<void> };
}

/** Puts the ledgerAdministration together; nothing happens by itself before `start`. */
export function openLedgerWork(options: LedgerWorkOptions): OpenLedgerWork {
  const { database, exchange, wallet, clock, logger } = options;
  const outbox = createOutbox('prediction', clock);
  const leader = new PostgresLeader(database);
  const comparisons = new PostgresReconciliationStore(database, outbox);
  const abandoned = new PostgresAbandonedOrderStore(database, outbox);
  const settlements = new PostgresSettlementStore({ database, outbox, clock });
  const settling = new SettleMarkets({ ledger: settlements, exchange, leader, clock, logger });
  const watching = new WatchLedger({ ledger: comparisons, wallet, exchange, leader, clock, logger });
  return {
    ledgerAdministration: new LedgerAdministration(watching, comparisons, abandoned, logger),
    abandoned,
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
