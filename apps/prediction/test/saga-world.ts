import { auditV1, type policyV1 } from '@agent-wallet/contracts';
import { AppError, newId, parseUsdPrice, Secret, systemClock } from '@agent-wallet/kernel';
import { type Checkpoint, OperationEngine, type OperationTiming } from '@agent-wallet/operations';
import { createLogger, type Database, openDatabase } from '@agent-wallet/platform';
import { openMigratedDatabase } from '@agent-wallet/platform/testing';
import type { TestConnection } from '@agent-wallet/testing';
import { createOutbox } from '@agent-wallet/events';
import { PostgresAbandonedOrderStore } from '../src/adapters/ledger/postgres-abandoned-order-store.js';
import { PostgresLedgerStore } from '../src/adapters/ledger/postgres-ledger-store.js';
import { Buy } from '../src/application/buy/buy.js';
import { openSagas, type OperationSagas } from '../src/open-sagas.js';
import { DryRunOrder } from '../src/application/dry-runs/dry-run-order.js';
import { Sell } from '../src/application/sell/sell.js';
import { Withdraw } from '../src/application/withdraw/withdraw.js';
import type { BuyRequest, OrderRequest, SellRequest } from '../src/domain/orders/order-request.js';
import { predictionMigrations } from '../src/index.js';
import { readingBuys, readingSales } from './read-order.js';
import { BOOK, FEES, ScriptedExchange } from './scripted-exchange.js';
import type { Exchange } from '../src/ports/exchange.js';
import { ScriptedWallet } from './scripted-wallet.js';

export const logger = createLogger('test', process.env['TEST_LOG'] ?? 'silent');

/** Least withdrawal of the copies. */
export const MIN_WITHDRAWAL_USD_MICROS = 1_000_000n;

/** What policy says that every agent has used. */
export const USAGE: policyV1.GetUsageResponse = {
  ...{ settledUsdMicros: 3_000_000n, reservedUsdMicros: 0n, remainingTodayUsdMicros: 97_000_000n },
  ...{ maxAllowedNowUsdMicros: 97_000_000n, windowStartsAtMs: 0n, resetsAtMs: 0n },
};

/** One copy of the service, without its gRPC. */
export interface Copy {
  readonly buy: ReturnType<typeof readingBuys>;
  readonly sell: ReturnType<typeof readingSales>;
  readonly withdraw: Withdraw;
  readonly dryRuns: DryRunOrder;
  readonly sagas: OperationSagas;
  readonly engine: OperationEngine;
}

interface CopyOptions {
  readonly database?: Database;
  readonly checkpoint?: Checkpoint;
  readonly timing?: Partial<OperationTiming>;
}

const ORDER_TIMING = {
  ...{
    timeoutMs: 1_500,
    freshMs: 30_000,
    pollIntervalMs: 5,
    marginMs: 0,
    quietMs: 120,
    moveWaitMs: 100,
    payoutPauseMs: 5,
  },
};
const TIMING = {
  approvalMs: 25,
  maxApprovalMs: 25,
  leaseMs: 3_000,
  searchMs: 25,
  watchMs: 10,
  retryMs: 10,
  maxRetryMs: 40,
  graceMs: 0,
};

/** The sagas on a real ledger, with an exchange, a wallet service and a policy that do as a test says. */
export class SagaWorld {
  readonly exchange = new ScriptedExchange();
  readonly wallet = new ScriptedWallet();
  isSwitchedOn = true;
  /** The bound that the owner has set on the loss of trades. */
  maxTradeLossBps: number | undefined;
  isFrozen = false;
  usdcPrice = '1';
  readonly #engines: OperationEngine[] = [];
  readonly #databases: Database[] = [];
  readonly #start = { treasury: this.wallet.treasury, cash: this.exchange.cash };
  #outside: Exchange = this.exchange;
  #orderTiming = ORDER_TIMING;

  private constructor(
    readonly database: Database,
    private readonly connection: TestConnection,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(): Promise<SagaWorld> {
    const test = await openMigratedDatabase([predictionMigrations], { ownedApart: ['prediction'] });
    return new SagaWorld(openAs(test.schemas.prediction), test.schemas.prediction, () => test.close());
  }

  /** Another exchange than the scripted one, with which one has patience. */
  async tradeAt(exchange: Exchange): Promise<void> {
    this.#outside = exchange;
    this.#orderTiming = { ...ORDER_TIMING, timeoutMs: 30_000 };
    this.#start.cash = (await exchange.balance()).cashUsdMicros;
  }

  /** How long after they were asked orders of copies made from here on may begin. */
  set freshMs(freshMs: number) {
    this.#orderTiming = { ...this.#orderTiming, freshMs };
  }

  get abandoned(): PostgresAbandonedOrderStore {
    return new PostgresAbandonedOrderStore(this.database, createOutbox('prediction', systemClock));
  }

  get ledger(): PostgresLedgerStore {
    return new PostgresLedgerStore(this.database, createOutbox('prediction', systemClock));
  }

  copy({ database = this.database, checkpoint, timing }: CopyOptions = {}): Copy {
    const { wallet } = this;
    const exchange = this.#outside;
    const ledger = new PostgresLedgerStore(database, createOutbox('prediction', systemClock));
    const policies = { checkSpending: async () => this.#checkSpending(), getUsage: async () => USAGE };
    const parts = {
      ...{ exchange, wallet, ledger, abandoned: this.abandoned, policies, clock: systemClock, logger },
      prices: { prices: async () => this.#prices() },
      timing: this.#orderTiming,
      toleranceUsdMicros: 20_000n,
      minWithdrawalUsdMicros: MIN_WITHDRAWAL_USD_MICROS,
    };
    const sagas = openSagas(parts);
    const engine = new OperationEngine({
      ...{ source: 'prediction', database, clock: systemClock, logger },
      handlers: [sagas.buys, sagas.sales, sagas.withdrawals],
      approvals: wallet.approvals,
      ...(checkpoint ? { checkpoint } : {}),
      timing: { ...TIMING, ...timing },
    });
    this.#engines.push(engine);
    return {
      ...{ sagas, engine },
      buy: readingBuys(new Buy(sagas.buys, engine)),
      sell: readingSales(new Sell(sagas.sales, engine)),
      withdraw: new Withdraw(sagas.withdrawals, engine, ledger, logger),
      dryRuns: new DryRunOrder({ ...sagas, wallet, policies }),
    };
  }

  /** A replica whose process ends when `die` is called: it writes nothing more, and no caller gets its response. */
  mortalCopy(checkpoint?: (name: string) => boolean): { copy: Copy; died: Promise<void>; die: () => Promise<never> } {
    const database = openAs(this.connection, 4);
    this.#databases.push(database);
    let tell: () => void = () => {};
    const died = new Promise<void>((resolve) => (tell = resolve));
    let isDead = false;
    const die = async (): Promise<never> => {
      if (!isDead) {
        isDead = true;
        void database.close().catch(() => undefined);
        tell();
      }
      return new Promise<never>(() => {});
    };
    const passed: Checkpoint = async (name) => {
      if (isDead || checkpoint?.(name)) await die();
    };
    const timing = { leaseMs: 300, searchMs: 60_000 };
    return { copy: this.copy({ database, checkpoint: passed, timing }), died, die };
  }

  /** Ends everything that a test has scripted; what moved stays moved. */
  calm(): void {
    const { exchange, wallet } = this;
    this.isSwitchedOn = true;
    this.maxTradeLossBps = undefined;
    this.isFrozen = false;
    this.usdcPrice = '1';
    this.freshMs = ORDER_TIMING.freshMs;
    Object.assign(exchange, { onEffect: async () => {}, trading: { status: 'open', paused: false }, lagMs: 0 });
    Object.assign(exchange, { tradingActive: true, partial: undefined, book: BOOK, fees: FEES });
    wallet.onEffect = async () => {};
    for (const moods of [exchange.moods, exchange.reads, wallet.moods]) moods.splice(0);
  }

  agent(usd = 1_000): string {
    const agentId = newId();
    this.wallet.funds.set(agentId, BigInt(usd) * 1_000_000n);
    return agentId;
  }

  buyCall(agentId: string, request: Wanted<BuyRequest> = {}) {
    return { ...callOf(agentId), request: orderOf(request) };
  }

  sellCall(agentId: string, request: Wanted<SellRequest> = {}) {
    return { ...callOf(agentId), request: orderOf(request) };
  }

  withdrawCall(agentId: string, amountUsdMicros: bigint) {
    return { ...callOf(agentId), request: { amountUsdMicros } };
  }

  /** The balance of a kind over all its accounts; what is owed is negative. */
  async total(kind: string): Promise<bigint> {
    const { rows } = await this.database.pool.query<{ total: string }>(
      'select coalesce(sum(balance), 0) as total from accounts where kind::text = $1',
      [kind],
    );
    return BigInt(rows[0]!.total);
  }

  /** That nothing is on its way, and that the ledger says what the chain and the exchange say. @throws Error */
  async audit(): Promise<void> {
    const found: Record<string, bigint> = {};
    const { cashUsdMicros } = await this.#outside.balance();
    const positions = [...(await this.#outside.positions()).values()];
    for (const kind of ['escrow', 'withdraw_pending', 'position_locked']) {
      // Locked contracts are counted in both of their accounts.
      found[kind] = await this.total(kind);
    }
    found['treasury'] = (await this.total('treasury_usdc')) - (this.wallet.treasury - this.#start.treasury);
    found['cash'] = (await this.total('exchange_cash')) - (cashUsdMicros - this.#start.cash);
    const { rows } = await this.database.pool.query<{ side: string; held: string }>(
      `select side, sum(balance) as held from accounts where kind::text in ('position', 'position_locked') group by side`,
    );
    const held = (side: string) => BigInt(rows.find((row) => row.side === side)?.held ?? 0);
    found['positions'] = held('yes') - held('no') - positions.reduce((sum, each) => sum + each, 0n);
    const { rows: open } = await this.database.pool.query(
      `select id from operations where state in ('pending', 'submitted')`,
    );
    found['open operations'] = BigInt(open.length);
    const { rows: orders } = await this.database.pool.query(`select operation_id from orders where status = 'open'`);
    found['open orders'] = BigInt(orders.length);
    const wrong = Object.entries(found).filter(([, value]) => value !== 0n);
    if (wrong.length > 0) throw new Error(wrong.map(([what, value]) => `${what}: ${value}`).join(', '));
  }

  /** The events that history would get of an operation, the oldest first. */
  async published(operationId: string): Promise<auditV1.OperationChanged[]> {
    const { rows } = await this.database.pool.query<{ payload: Buffer }>('select payload from outbox order by id');
    return rows
      .map(({ payload }) => auditV1.AuditEvent.decode(payload).fact)
      .flatMap((fact) =>
        fact?.$case === 'operationChanged' && fact.value.operationId === operationId ? [fact.value] : [],
      );
  }

  async stopCopies(): Promise<void> {
    await Promise.all(this.#engines.splice(0).map((engine) => engine.stop().catch(() => undefined)));
  }

  async close(): Promise<void> {
    await this.stopCopies();
    await Promise.all(this.#databases.map((database) => database.close().catch(() => undefined)));
    await this.database.close();
    await this.drop();
  }

  #checkSpending(): policyV1.CheckSpendingResponse {
    const rule = this.isFrozen ? 'frozen' : this.isSwitchedOn ? undefined : 'prediction_markets_disabled';
    if (rule) throw new AppError('POLICY_VIOLATION', { data: { rule } });
    return { maxTradeLossBps: this.maxTradeLossBps };
  }

  #prices() {
    if (this.usdcPrice === 'fails') throw new AppError('UPSTREAM_TIMEOUT');
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const reading = {
      price: parseUsdPrice(this.usdcPrice),
      decimals: 6,
      liquidityUsd: null,
      pricedAtMs: 0,
      readAtMs: 0,
    };
    return new Map([[mint, reading]]);
  }
}

/** A request as a test writes it, its count in contracts. */
type Wanted<Request extends OrderRequest> = Partial<Omit<Request, 'count'>> & { readonly count?: number };

function orderOf<Request extends OrderRequest>({ count = 10, ...request }: Wanted<Request>) {
  return { ticker: 'M-1', side: 'yes' as const, ...request, count: BigInt(Math.round(count * 100)) };
}

function callOf(agentId: string) {
  return { operationId: newId(), agentId, waitMs: 20_000 };
}

function openAs(connection: TestConnection, maxConnections = 20): Database {
  const secret = { ...connection, password: new Secret(connection.password) };
  return openDatabase({ connection: secret, schema: 'prediction', logger, maxConnections });
}
