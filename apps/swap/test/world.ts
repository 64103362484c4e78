import { auditV1 } from '@agent-wallet/contracts';
import { checkSwapMessage } from '@agent-wallet/jupiter/checks';
import { AppError, namedToken, newId, Secret, systemClock } from '@agent-wallet/kernel';
import { type Checkpoint, type CheckpointPoint, OperationEngine, type OperationTiming } from '@agent-wallet/operations';
import { TestSigner } from '@agent-wallet/operations/testing';
import { createLogger, openDatabase } from '@agent-wallet/platform';
import { openSolanaChain, type SolanaChain } from '@agent-wallet/solana';
import { JupiterAggregator } from '../src/adapters/jupiter-aggregator.js';
import { JupiterHttp } from '../src/adapters/jupiter-http.js';
import { PostgresRequestBudget } from '../src/adapters/postgres-request-budget.js';
import { TradeHandler } from '../src/application/trade-handler.js';
import { DryRunTrade, Trade, type TradeResult } from '../src/application/trade.js';
import type { TradeRequest } from '../src/domain/trade.js';
import { tradeRequestOf } from '../src/grpc/messages.js';
import { openSwapDatabase } from './database.js';
import { TestApprovals, TestPolicy, TestWallets } from './peers.js';
import { startProxy } from './proxy.js';
import { Sandbox } from './sandbox.js';

export const SYMBOLS = ['SOL', 'USDC', 'USDT', 'JUP', 'BONK', 'WIF', 'RAY', 'ORCA'];

/** The key of the aggregator, which must not be readable anywhere. */
export const API_KEY = 'a-key-that-is-never-shown';

/** A trade as a caller writes it. */
export type WrittenTrade = Pick<TradeRequest, 'from' | 'to'> &
  Partial<Omit<TradeRequest, 'amount'>> & { readonly amount: string };

/** How a copy of the service is to be. */
export interface CopyOptions {
  readonly allowsCosigned?: boolean;
  readonly swapPath?: '/swap/v2' | '/ultra/v1';
  readonly checkpoint?: Checkpoint;
  readonly timing?: Partial<OperationTiming>;
  readonly aggregatorUrl?: string;
  readonly requestsPerMinute?: number;
  readonly database?: Awaited<ReturnType<typeof openSwapDatabase>>['database'];
}

/** One copy of the service, without its gRPC. */
export interface Copy {
  readonly trade: Trade;
  readonly dryRun: DryRunTrade;
  readonly engine: OperationEngine;
}

/** An agent with a wallet. */
export interface Agent {
  readonly agentId: string;
  readonly address: string;
}

const ORDER = { slippageBps: 50, allowRisky: false, allowUnpricedOutput: false };

/** The service on the real sandbox, with peers that a test can look into. */
export class SwapWorld {
  readonly wallets = new TestWallets();
  readonly approvals = new TestApprovals();
  readonly policy: TestPolicy;
  readonly signer: TestSigner;
  /** All that was ever logged. */
  lines = '';
  readonly #logger = createLogger('test', 'trace', { write: (line: string) => (this.lines += line) });
  readonly #closing: Array<() => unknown> = [];
  readonly #ending: Array<() => unknown> = [];
  #makerUrl: string | undefined;

  private constructor(
    readonly sandbox: Sandbox,
    readonly chain: SolanaChain,
    private readonly schema: Awaited<ReturnType<typeof openSwapDatabase>>,
  ) {
    this.policy = new TestPolicy(chain);
    this.signer = new TestSigner({
      intentOf: (claims) => this.policy.intentOf(claims),
      check: ({ message, resolvedAddresses }, intent) =>
        checkSwapMessage(message, intent, resolvedAddresses, { maxNetworkFeeLamports: 5_000_000n }),
    });
    for (const symbol of SYMBOLS) {
      const mint = namedToken(symbol)!.mint;
      this.wallets.tokens.set(symbol === 'SOL' ? 'SOL' : mint, { mint, symbol });
    }
  }

  static async open(slotMs?: number): Promise<SwapWorld> {
    const [sandbox, schema] = await Promise.all([Sandbox.start(slotMs), openSwapDatabase()]);
    return new SwapWorld(sandbox, openSolanaChain({ rpcUrl: sandbox.rpcUrl }), schema);
  }

  get database() {
    return this.schema.database;
  }

  /** A copy of the service that takes up what others left. */
  copy(options: CopyOptions = {}): Copy {
    const { allowsCosigned = false, swapPath = '/swap/v2', database = this.database, checkpoint, timing } = options;
    const baseUrl = options.aggregatorUrl ?? this.sandbox.aggregatorUrl;
    const logger = this.#logger;
    const clock = systemClock;
    const http = new JupiterHttp({ baseUrl, apiKey: new Secret(API_KEY), clock });
    const { requestsPerMinute = 100_000 } = options;
    const budget = new PostgresRequestBudget(database.pool, { requestsPerMinute });
    const aggregator = new JupiterAggregator({ http, budget, swapPath, allowsCosigned, clock, logger });
    const limits = { allowsCosigned, maxNetworkLamports: 5_000_000n };
    const trading = { wallets: this.wallets, chain: this.chain, aggregator, limits, logger };
    const kind = new TradeHandler({ ...trading, isReal: true });
    const dryTrades = new TradeHandler({ ...trading, isReal: false });
    const engine = new OperationEngine({
      ...{ source: 'swap', database, handlers: [kind], policy: this.policy, signer: this.signer },
      ...{ chain: this.chain, clock, logger, approvals: this.approvals },
      ...(checkpoint ? { checkpoint } : {}),
      timing: { pollIntervalMs: 30, resendMs: 500, searchMs: 200, retryMs: 50, maxRetryMs: 500, graceMs: 0, ...timing },
    });
    this.#closing.push(
      () => engine.stop(),
      () => http.close(),
    );
    return { trade: new Trade(kind, engine), dryRun: new DryRunTrade(dryTrades, this.policy), engine };
  }

  /** A replica that dies at a named place: it writes nothing more, and no caller gets its response. */
  dyingCopy(place: CheckpointPoint, options: CopyOptions = {}): { copy: Copy; died: Promise<void> } {
    const { connection } = this.schema;
    const database = openDatabase({ connection, schema: 'swap', logger: this.#logger, maxConnections: 5 });
    let die: () => void = () => {};
    const died = new Promise<void>((resolve) => (die = resolve));
    let isDying = false;
    const checkpoint: Checkpoint = async (name) => {
      if (!isDying && !name.endsWith(place)) return;
      if (!isDying) {
        isDying = true;
        await database.close();
        die();
      }
      await new Promise<never>(() => {});
    };
    const timing = { leaseMs: 600, searchMs: 60_000 };
    return { copy: this.copy({ ...options, database, checkpoint, timing }), died };
  }

  /** Where only market makers offer. */
  async makersOnly(): Promise<Required<Pick<CopyOptions, 'aggregatorUrl' | 'allowsCosigned'>>> {
    if (this.#makerUrl === undefined) {
      const proxy = await startProxy(this.sandbox.aggregatorUrl, {
        ask: ({ excludeRouters: _, ...query }) => ({ ...query, excludeRouters: 'metis,dflow,okx' }),
      });
      this.#makerUrl = proxy.url;
      this.#ending.push(() => proxy.close());
    }
    return { aggregatorUrl: this.#makerUrl, allowsCosigned: true };
  }

  /** An agent whose wallet holds that. */
  async agent(funds: Readonly<Record<string, number>>): Promise<Agent> {
    const agent = { agentId: newId(), address: this.signer.newKey() };
    this.wallets.addresses.set(agent.agentId, agent.address);
    for (const [token, amount] of Object.entries(funds)) await this.sandbox.faucet(agent.address, token, amount);
    return agent;
  }

  /** Has a wallet with that much SOL pay the network for agents that cannot. @returns its address */
  async sponsor(sol: number): Promise<string> {
    const address = this.signer.newKey();
    await this.sandbox.faucet(address, 'SOL', sol);
    this.wallets.sponsorAddress = address;
    return address;
  }

  /** A call that a test repeats at will. */
  call({ agentId }: Agent, order: WrittenTrade) {
    return { operationId: newId(), agentId, request: tradeRequestOf({ agentId, ...ORDER, ...order }), waitMs: 60_000 };
  }

  /** Base units that a wallet holds of each token. */
  async holdings({ address }: Agent, ...tokens: string[]): Promise<bigint[]> {
    return Promise.all(tokens.map((token) => this.sandbox.raw(address, token)));
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

  /** Ends what copies there are. */
  async stopCopies(): Promise<void> {
    for (const close of this.#closing.splice(0)) await Promise.resolve(close()).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.stopCopies();
    for (const end of this.#ending.splice(0)) await end();
    this.chain.close();
    await this.schema.close();
    await this.sandbox.stop();
  }
}

/** What a call was refused with. */
export async function refusalOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => 'no refusal',
    (found: unknown) => found,
  );
  if (!(error instanceof AppError)) throw new Error(String(error));
  return error;
}

/** What a trade answered, with what it was resolved to. */
export function landedOf({ plan }: TradeResult): { spent: bigint; gained: bigint } {
  return { spent: plan!.landed!.inputAmount, gained: plan!.landed!.outputAmount };
}
