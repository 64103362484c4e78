import { policyV1, walletV1 } from '@agent-wallet/contracts';
import type { Outbox } from '@agent-wallet/events';
import type { Clock, Secret } from '@agent-wallet/kernel';
import {
  openOperationBase,
  openOperations,
  type OperationEngine,
  type OperationOverrides,
  type OperatorService,
  type StopCheck,
} from '@agent-wallet/operations';
import { type Database, type Logger, openRpcClient, stopInOrder, type TlsIdentity } from '@agent-wallet/platform';
import { policyPrices } from '@agent-wallet/prices';
import { openExchange } from './adapters/exchange/open-exchange.js';
import { PostgresAbandonedOrderStore } from './adapters/ledger/postgres-abandoned-order-store.js';
import { PostgresLeader } from './adapters/ledger/postgres-leader.js';
import { PostgresLedgerStore } from './adapters/ledger/postgres-ledger-store.js';
import { PostgresReconciliationStore } from './adapters/ledger/postgres-reconciliation-store.js';
import { PostgresSettlementStore } from './adapters/ledger/postgres-settlement-store.js';
import { Buy } from './application/buy/buy.js';
import { Catalog } from './application/catalog/catalog.js';
import { DryRunOrder } from './application/dry-runs/dry-run-order.js';
import { LedgerAdministration } from './application/ledger/ledger-administration.js';
import { DEFAULT_ORDER_TIMING, type OrderTiming } from './application/operations/dependencies.js';
import { openSagas, type OperationSagas } from './open-sagas.js';
import { ReadMoney } from './application/read/read-money.js';
import { WatchLedger } from './application/reconciliation/watch-ledger.js';
import { Sell } from './application/sell/sell.js';
import { SettleMarkets } from './application/settlement/settle-markets.js';
import { Withdraw } from './application/withdraw/withdraw.js';
import { USD_MICROS_PER_CENT } from './domain/orders/limit-price.js';
import type { AbandonedOrderStore } from './ports/abandoned-order-store.js';
import type { CatalogSource } from './ports/catalog.js';
import type { Exchange } from './ports/exchange.js';
import type { LedgerStore } from './ports/ledger-store.js';
import type { PolicySwitch } from './ports/policy-switch.js';
import type { Wallet } from './ports/wallet.js';
import type { PredictionSettings } from './settings.js';

/** Dependencies of the use cases. */
interface PredictionDependencies {
  readonly sagas: OperationSagas;
  readonly engine: OperationEngine;
  readonly ledger: LedgerStore;
  readonly catalog: CatalogSource;
  readonly policies: PolicySwitch & StopCheck;
  readonly wallet: Wallet;
  readonly logger: Logger;
}

/** Parts that a test may replace. */
export interface PredictionOverrides extends OperationOverrides {
  readonly orderTiming?: Partial<OrderTiming>;
  readonly ledgerTiming?: LedgerTiming;
}

/** Pauses between settlement rounds and between reconciliations, in milliseconds. */
export interface LedgerTiming {
  readonly settlementIdleMs?: number;
  readonly comparisonIdleMs?: number;
}

/** Inputs for opening the dependencies. */
interface Opening extends PredictionOverrides {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tls: TlsIdentity;
  /** Proves to the exchange who we are: an RSA key as PEM. */
  readonly privateKey: Secret<string>;
}

/** Dependencies of the ledger work. */
interface LedgerWorkOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly exchange: Exchange;
  readonly wallet: Pick<Wallet, 'getTreasury'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The opened parts that settle markets and reconcile the ledger with its sources. */
export interface OpenLedgerWork {
  readonly database: Database;
  readonly ledgerAdministration: LedgerAdministration;
  readonly abandoned: AbandonedOrderStore;
  readonly settling: SettleMarkets;
  readonly watching: WatchLedger;
}

/** Dependencies that were opened, what runs beside the callers, and how all of it is closed. */
interface OpenDependencies extends OpenLedgerWork {
  readonly useCases: PredictionUseCases;
  readonly engine: OperationEngine;
  readonly operators: OperatorService;
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** Opens everything that the service works with. */
export function openDependencies(settings: PredictionSettings, opening: Opening): OpenDependencies {
  const { clock, logger, tls, privateKey } = opening;
  const base = openOperationBase(settings, {
    ...opening,
    source: 'prediction',
    beforePublishing: 'prediction.before-publishing',
  });
  const { database, outbox, relay, policy: policies, recoveries } = base;
  const wallet = openWallet(settings, tls);
  const { baseUrl, wsUrl, apiKeyId } = settings.kalshi;
  const { exchange, catalog, ...opened } = openExchange({
    baseUrl,
    wsUrl,
    apiKeyId,
    privateKey,
    database,
    clock,
    logger,
  });
  const ledger = new PostgresLedgerStore(database, outbox);
  const kept = openLedgerWork({ database, outbox, exchange, wallet, clock, logger });
  const sagas = openSagas({
    exchange,
    ledger,
    abandoned: kept.abandoned,
    wallet,
    policies,
    clock,
    logger,
    prices: policyPrices(policies),
    timing: { ...DEFAULT_ORDER_TIMING, ...opening.orderTiming },
    toleranceUsdMicros: BigInt(settings.priceToleranceCents) * USD_MICROS_PER_CENT,
    minWithdrawalUsdMicros: BigInt(settings.minWithdrawalCents) * USD_MICROS_PER_CENT,
  });
  const approvals = openApprovals(settings, tls);
  const handlers = [sagas.buys, sagas.sales, sagas.withdrawals];
  const { engine, operators } = openOperations(base, { handlers, approvals });
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () => opened.close(),
      () => [policies, approvals, recoveries, wallet].forEach((client) => client.close()),
      () => database.close(),
    );
  const useCases = openUseCases({ sagas, engine, ledger, catalog, policies, wallet, logger });
  return { ...kept, useCases, engine, operators, close };
}

/** Use cases that agents reach. */
export type PredictionUseCases = ReturnType<typeof openUseCases>;

function openUseCases({ sagas, engine, ledger, catalog, policies, wallet, logger }: PredictionDependencies) {
  const { buys, sales, withdrawals, planBuy, planSell } = sagas;
  return {
    buys: new Buy(buys, engine),
    sales: new Sell(sales, engine),
    withdrawals: new Withdraw(withdrawals, engine, ledger, logger),
    dryRuns: new DryRunOrder({ planBuy, planSell, wallet, policies }),
    money: new ReadMoney({ ledger, catalog, policies }),
    catalog: new Catalog(catalog, policies),
  };
}

/** Puts together what keeps the ledger. */
export function openLedgerWork({
  database,
  outbox,
  exchange,
  wallet,
  clock,
  logger,
}: LedgerWorkOptions): OpenLedgerWork {
  const leader = new PostgresLeader(database);
  const comparisons = new PostgresReconciliationStore(database, outbox);
  const abandoned = new PostgresAbandonedOrderStore(database, outbox);
  const settlements = new PostgresSettlementStore({ database, outbox, clock });
  const settling = new SettleMarkets({ ledger: settlements, exchange, leader, clock, logger });
  const watching = new WatchLedger({ ledger: comparisons, wallet, exchange, leader, clock, logger });
  return {
    database,
    ledgerAdministration: new LedgerAdministration(watching, comparisons, abandoned, logger),
    abandoned,
    settling,
    watching,
  };
}

function openWallet({ walletAddress: address }: PredictionSettings, tls: TlsIdentity) {
  return openRpcClient({ definition: walletV1.WalletServiceService, peer: { address, service: 'wallet' }, tls });
}

function openApprovals({ policyAddress: address }: PredictionSettings, tls: TlsIdentity) {
  return openRpcClient({ definition: policyV1.OwnerServiceService, peer: { address, service: 'policy' }, tls });
}
