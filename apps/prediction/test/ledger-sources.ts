import { systemClock } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import type { Logger } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { PostgresReconciliationStore } from '../src/adapters/ledger/postgres-reconciliation-store.js';
import { PostgresLeader } from '../src/adapters/ledger/postgres-leader.js';
import { PostgresSettlementStore } from '../src/adapters/ledger/postgres-settlement-store.js';
import type { ReconcileLedgerOptions } from '../src/application/reconciliation/reconcile-ledger.js';
import { WatchLedger } from '../src/application/reconciliation/watch-ledger.js';
import { SettleMarkets, type SettleMarketsOptions } from '../src/application/settlement/settle-markets.js';
import type { ExchangeMarket, ExchangeSettlement } from '../src/ports/exchange.js';
import type { LedgerUnderTest } from './ledger-support.js';

/** The exchange's account and the treasury, as a test says. */
export class LedgerSources {
  finalized = 0n;
  confirmed = 0n;
  cash = 0n;
  asOf = 2_000_000_000_000;
  readonly held = new Map<string, bigint>();
  readonly markets = new Map<string, ExchangeMarket>();
  paid: ExchangeSettlement[] = [];
  /** What it says of fees with each settlement: those of the fills, which were paid with them. */
  tradingFees = 0n;
  /** Runs when the cash is asked for. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  /** How often each market was asked for. */
  readonly asked: string[] = [];
  isDown = false;

  readonly wallet = {
    getTreasury: async () => ({
      ...{ address: 'treasury', finalizedAmount: this.finalized, confirmedAmount: this.confirmed },
      ...{ lamports: 0n, finalizedSlot: 1n },
    }),
  };

  readonly exchange = {
    asOfMs: async () => this.asOf,
    balance: async () => {
      if (this.isDown) throw new Error('the exchange does not answer');
      const cashUsdMicros = this.cash;
      await this.meanwhile();
      return { cashUsdMicros };
    },
    positions: async () => new Map(this.held),
    settlements: async (sinceMs: number) => this.paid.filter(({ settledAtMs }) => settledAtMs >= sinceMs),
    market: async (ticker: string) => {
      this.asked.push(ticker);
      return this.markets.get(ticker);
    },
    onHint: () => undefined,
  };

  /** Sets the treasury in final and other blocks alike. */
  set treasury(amount: bigint) {
    this.finalized = amount;
    this.confirmed = amount;
  }

  market(ticker: string, more: Partial<ExchangeMarket> = {}): void {
    this.markets.set(ticker, {
      ...{ ticker, eventTicker: `${ticker}-EVENT`, exchangeIndex: 0, title: ticker, status: 'open', paused: false },
      ...{ closeTimeMs: 0, priceRanges: [], result: undefined, settlementValueUsdMicros: undefined },
      ...{ settledAtMs: undefined },
      ...more,
    });
  }

  /** The exchange says that a market is final, and pays for what the account held. */
  settle(ticker: string, result: ExchangeMarket['result'], revenueUsdMicros?: bigint, value?: bigint): void {
    const settledAtMs = systemClock.nowMs();
    const settlementValueUsdMicros = value ?? (result === 'yes' ? 1_000_000n : result === 'no' ? 0n : undefined);
    this.market(ticker, { status: 'settled', result, settlementValueUsdMicros, settledAtMs });
    if (revenueUsdMicros === undefined) return;
    this.paid.push({
      ...{ ticker, eventTicker: `${ticker}-EVENT`, exchangeIndex: 0, result: result ?? 'scalar', settledAtMs },
      ...{ yesCount: 0n, noCount: 0n, revenueUsdMicros, valueUsdMicros: undefined },
      tradingFeesUsdMicros: this.tradingFees,
    });
    this.held.delete(ticker);
    this.cash += revenueUsdMicros;
  }
}

/** What the loops look at. */
interface Surroundings {
  readonly exchange: SettleMarketsOptions['exchange'] & ReconcileLedgerOptions['exchange'];
  readonly wallet: ReconcileLedgerOptions['wallet'];
}

/** The two loops over one database, a round at a time. */
export function keepersOf(
  { database }: Pick<LedgerUnderTest, 'database'>,
  { exchange, wallet }: Surroundings,
  logger: Logger = silent,
) {
  const clock = systemClock;
  const outbox = createOutbox('prediction', clock);
  const leader = new PostgresLeader(database);
  const comparisons = new PostgresReconciliationStore(database, outbox);
  const settlements = new PostgresSettlementStore({ database, outbox, clock });
  return {
    leader,
    comparisons,
    settlements,
    settling: new SettleMarkets({ ledger: settlements, exchange, leader, clock, logger }),
    watching: new WatchLedger({ ledger: comparisons, exchange, wallet, leader, clock, logger }),
  };
}
