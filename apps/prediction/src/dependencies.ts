import { walletV1 } from '@agent-wallet/contracts';
import type { Clock, Secret } from '@agent-wallet/kernel';
import {
  openOperationBase,
  openOperations,
  type OperationEngine,
  type OperationOverrides,
  type OperatorService,
} from '@agent-wallet/operations';
import { type Logger, openRpcClient, stopInOrder, type TlsIdentity } from '@agent-wallet/platform';
import { openPriceReader } from '@agent-wallet/prices';
import { type LedgerTiming, openLedgerWork, type OpenLedgerWork } from './adapters/ledger/open-ledger-work.js';
import { PostgresLedgerStore } from './adapters/ledger/postgres-ledger-store.js';
import { openExchange } from './adapters/exchange/open-exchange.js';
import type { LedgerAdministration } from './application/ledger/ledger-administration.js';
import { DEFAULT_ORDER_TIMING, type OrderTiming } from './application/operations/dependencies.js';
import { openSagas, type OperationSagas } from './application/operations/open-sagas.js';
import { USD_MICROS_PER_CENT } from './domain/orders/limit-price.js';
import type { CatalogSource } from './ports/catalog.js';
import type { LedgerStore } from './ports/ledger-store.js';
import type { PolicySwitch } from './ports/policy-switch.js';
import type { Wallet } from './ports/wallet.js';
import type { PredictionSettings } from './settings.js';

/** What the use cases work with. */
export interface PredictionDependencies {
  readonly sagas: OperationSagas;
  readonly engine: OperationEngine;
  readonly operators: OperatorService;
  readonly ledger: LedgerStore;
  readonly ledgerAdministration: LedgerAdministration;
  readonly catalog: CatalogSource;
  readonly policies: PolicySwitch;
  readonly wallet: Wallet;
  readonly logger: Logger;
}

/** What a test may replace. */
export interface PredictionOverrides extends OperationOverrides {
  readonly orderTiming?: Partial<OrderTiming>;
  readonly ledgerTiming?: LedgerTiming;
}

/** Dependencies that were opened, and how they are closed. */
interface OpenDependencies extends PredictionDependencies {
  readonly startLedgerWork: OpenLedgerWork['start'];
  /** Closes what serves operations, once none is carried out here any more. */
  readonly close: () => Promise<void>;
}

/** What proves who we are: to our peers, and to the exchange. */
interface Identity {
  readonly tls: TlsIdentity;
  readonly privateKey: Secret<string>;
}

/** Opens everything that the service works with. */
export function openDependencies(
  settings: PredictionSettings,
  overrides: PredictionOverrides & { readonly logger: Logger; readonly clock: Clock },
  { tls, privateKey }: Identity,
): OpenDependencies {
  const { logger, clock } = overrides;
  const base = openOperationBase(settings, {
    ...{ ...overrides, source: 'prediction', beforePublishing: 'prediction.before-publishing', tls },
  });
  const { database, outbox, relay, policy: policies, recoveries } = base;
  const wallet = openWallet(settings, tls);
  const { baseUrl, wsUrl, apiKeyId } = settings.kalshi;
  const { exchange, catalog, ...opened } = openExchange({
    ...{ baseUrl, wsUrl, apiKeyId, privateKey, database, clock, logger },
  });
  const ledger = new PostgresLedgerStore(database, outbox);
  const kept = openLedgerWork({ database, exchange, wallet, clock, logger });
  const { ledgerAdministration, abandoned, start: startLedgerWork } = kept;
  const sagas = openSagas({
    ...{ exchange, ledger, abandoned, wallet, policies, clock, logger },
    prices: openPrices(settings, clock),
    timing: { ...DEFAULT_ORDER_TIMING, ...overrides.orderTiming },
    toleranceUsdMicros: BigInt(settings.priceToleranceCents) * USD_MICROS_PER_CENT,
  });
  const { engine, operators } = openOperations(base, { handlers: [sagas.buys, sagas.sales, sagas.withdrawals] });
  const close = () =>
    stopInOrder(
      () => relay.stop(),
      () => opened.close(),
      () => [policies, recoveries, wallet].forEach((client) => client.close()),
      () => database.close(),
    );
  return {
    sagas,
    engine,
    operators,
    ledger,
    ledgerAdministration,
    startLedgerWork,
    catalog,
    policies,
    wallet,
    logger,
    close,
  };
}

function openWallet({ walletAddress: address }: PredictionSettings, tls: TlsIdentity) {
  return openRpcClient({ definition: walletV1.WalletServiceService, peer: { address, service: 'wallet' }, tls });
}

function openPrices({ jupiterBaseUrl: baseUrl, jupiterApiKey: apiKey }: PredictionSettings, clock: Clock) {
  return openPriceReader({ baseUrl, clock, ...(apiKey ? { apiKey } : {}) });
}
