import { eventually } from '@agent-wallet/testing';
import { openMigratedDatabase, openTestSchema, silent } from '@agent-wallet/platform/testing';
import path from 'node:path';
import { auditV1, type intentV1, policyV1 } from '@agent-wallet/contracts';
import pg from 'pg';
import { OUTBOX_DIRECTORY } from '@agent-wallet/events';
import { AppError, newId, systemClock } from '@agent-wallet/kernel';
import { type Database } from '@agent-wallet/platform';
import { buildMessage } from '@agent-wallet/solana';
import {
  flag,
  OperationEngine,
  type OperationEngineOptions,
  type OperationInput,
  type OperationHandler,
  optional,
  planCodec,
  type Preparation,
  record,
  requestCodec,
  text,
} from '../src/index.js';
import { FakeChain, LIFE } from './fake-chain.js';
import { FakeApprovals, FakeMaker, FakePolicy, FakeSigner } from './fake-peers.js';

/** A request of the tests' handlers. */
export interface TestRequest {
  readonly amount: string;
  /** Whether another pays the network fee. */
  readonly isSponsored?: boolean;
  /** Whether a maker signs after us, and in front of us. */
  readonly isCosigned?: boolean;
}

const REQUEST = { amount: text, isSponsored: optional(flag), isCosigned: optional(flag) };

/** What it was resolved to. */
export interface TestPlan extends TestRequest {
  /** What arrived; known from the transaction that landed. */
  readonly arrived?: string;
}

const MIGRATIONS = {
  schema: 'wallet',
  directory: [OUTBOX_DIRECTORY, path.join(import.meta.dirname, '../db')],
} as const;

/** A service with its database and its peers, in which engines can be started and killed. */
export class World {
  readonly chain = new FakeChain();
  readonly policy = new FakePolicy(this.chain);
  readonly signer = new FakeSigner();
  readonly approvals = new FakeApprovals();
  /** What preparing does next, instead of its work. */
  readonly preparations: Array<AppError | Preparation<TestPlan>> = [];
  /** What reading the transaction that landed does next, instead of telling slot and signature. */
  readonly readings: Array<Error | 'nothing'> = [];
  /** How often a transaction that landed was read. */
  read = 0;
  /** Why what died did so. */
  death: AppError | undefined;
  /** What a failure is explained with; an Error is thrown. */
  failure: AppError | Error | undefined;
  readonly maker = new FakeMaker();
  /** What delivering does next, after or instead of its work. */
  readonly deliveries: Array<Error | 'hangs' | 'hangs after its work'> = [];
  /** Signed bytes that were handed over. */
  readonly delivered: Uint8Array[] = [];
  readonly logger = silent;
  #built = 0;
  readonly #engines: OperationEngine[] = [];

  private constructor(
    readonly database: Database,
    private readonly openAnother: () => Database,
    private readonly admin: pg.Pool,
    private readonly drop: () => Promise<void>,
  ) {}

  static async open(): Promise<World> {
    const test = await openMigratedDatabase([MIGRATIONS]);
    const open = () => openTestSchema(test.schemas.wallet, 'wallet', { maxConnections: 20 });
    const database = open();
    const admin = new pg.Pool({ ...test.connection, max: 1 }).on('error', () => {});
    return new World(database, open, admin, () => test.close());
  }

  readonly kind: OperationHandler<TestRequest, TestPlan> = {
    action: 'transfer',
    codec: {
      request: requestCodec(record<TestRequest>(REQUEST)),
      plan: planCodec(record<TestPlan>({ ...REQUEST, arrived: optional(text) })),
    },
    prepare: async (operation) => this.#prepare(operation),
    spending: () => policyV1.Spending.SPENDING_PAYMENT,
    describe: ({ amount }, plan) => ({
      asset: 'SOL',
      ...(plan ? { amount: BigInt(plan.amount) } : {}),
      decimals: 9,
      to: 'someone',
      facts: { $case: 'deposit', value: { mint: amount, from: plan?.arrived ?? '', account: '' } },
    }),
    landed: async (_, plan, { signature, slot }) => {
      this.read += 1;
      const reading = this.readings.shift();
      if (reading instanceof Error) throw reading;
      return reading ? undefined : { arrived: `${plan.amount} in slot ${slot} by ${signature}` };
    },
    explainExpiry: async () => this.death,
    explainFailure: () => {
      if (this.failure instanceof AppError || !this.failure) return this.failure;
      throw this.failure;
    },
  };

  /** The same, handed over to a third party that brings it to the chain. */
  readonly trade: OperationHandler<TestRequest, TestPlan> = {
    ...this.kind,
    action: 'trade',
    deliver: async (operation, _, transaction) => {
      this.delivered.push(transaction);
      const mood = this.deliveries.shift();
      if (mood === 'hangs') await new Promise<never>(() => {});
      this.chain.take(operation.request.isCosigned ? this.maker.complete(transaction) : transaction);
      if (mood === 'hangs after its work') await new Promise<never>(() => {});
      if (mood instanceof Error) throw mood;
    },
  };

  #prepare({ request }: OperationInput<TestRequest>): Preparation<TestPlan> {
    const next = this.preparations.shift();
    if (next instanceof AppError) throw next;
    if (next) return next;
    this.#built += 1;
    const { amount, isCosigned = false } = request;
    const intent = isCosigned ? this.cosigned(BigInt(amount)) : this.intent(BigInt(amount), request.isSponsored);
    // Another blockhash each time, so that a message that is built twice is another message.
    const blockhash = new FakeSigner().wallet;
    return {
      kind: 'ready',
      plan: request,
      intent,
      message: buildMessage({ intent: isCosigned ? this.#twoSigners(BigInt(amount)) : intent, blockhash }),
      lastValidBlockHeight: this.chain.height + LIFE,
      ...(isCosigned ? { resolvedAddresses: RESOLVED } : {}),
    };
  }

  /** How many messages were built. */
  get built(): number {
    return this.#built;
  }

  intent(amount: bigint, isSponsored = false): intentV1.Intent {
    const recipient = RECIPIENT;
    const transfer = { recipient, mint: '', tokenProgram: '', amount, decimals: 9, memo: '' };
    return {
      wallet: this.signer.wallet,
      action: { $case: 'transfer', value: { ...transfer, createsRecipientAccount: false } },
      ...(isSponsored ? { sponsor: this.signer.sponsor, maxNetworkFeeLamports: 10_000n } : {}),
    };
  }

  /** A swap that the maker signs, too. */
  cosigned(amount: bigint): intentV1.Intent {
    const value: intentV1.Swap = {
      ...{ inputMint: RECIPIENT, inputTokenProgram: RECIPIENT, inputDecimals: 6, inputAmount: amount },
      ...{ outputMint: RECIPIENT, outputTokenProgram: RECIPIENT, quotedOutputAmount: amount, minOutputAmount: 1n },
      ...{ slippageBps: 50, platformFeeBps: 0, maxNetworkLamports: 0n, resolvedAddressesHash: Buffer.alloc(32) },
      cosigner: this.maker.address,
      allowUnpricedOutput: false,
    };
    return { wallet: this.signer.wallet, action: { $case: 'swap', value } };
  }

  /** Some message with the maker in front of the wallet. */
  #twoSigners(amount: bigint): intentV1.Intent {
    return { ...this.intent(amount), sponsor: this.maker.address, maxNetworkFeeLamports: 10_000n };
  }

  /** Starts an engine: a replica of the service. */
  engine(options: Partial<OperationEngineOptions> = {}): OperationEngine {
    const { database, policy, signer, approvals, chain, logger } = this;
    const engine = new OperationEngine({
      ...{
        database,
        policy,
        signer,
        approvals,
        chain,
        logger,
        source: 'wallet',
        clock: systemClock,
        handlers: [this.kind, this.trade],
      },
      ...options,
      timing: {
        leaseMs: 3_000,
        pollIntervalMs: 10,
        findMs: 10,
        resendMs: 50,
        searchMs: 30,
        watchMs: 20,
        retryMs: 10,
        maxRetryMs: 40,
        approvalMs: 30,
        maxApprovalMs: 60,
        graceMs: 300,
        ...options.timing,
      },
    });
    this.#engines.push(engine);
    return engine;
  }

  /**
   * An engine whose process dies at a place: nothing after it is executed, and it does not reach the database any more,
   * so that its leases run out.
   */
  dyingEngine(
    place: string,
    options: Partial<OperationEngineOptions> = {},
  ): { engine: OperationEngine; died: Promise<void> } {
    const database = this.openAnother();
    let die: () => void = () => {};
    const died = new Promise<void>((resolve) => (die = resolve));
    let isDead = false;
    const engine = this.engine({
      ...options,
      database,
      timing: { leaseMs: 200, searchMs: 60_000, graceMs: 0 },
      checkpoint: async (name) => {
        if (!isDead && !name.endsWith(place)) return;
        if (!isDead) {
          isDead = true;
          await database.close();
          die();
        }
        await new Promise<never>(() => {});
      },
    });
    return { engine, died };
  }

  call(over: { id?: string; agentId?: string; waitMs?: number } & Partial<TestRequest> = {}) {
    const { id = newId(), agentId = newId(), amount = '7', isSponsored, isCosigned, waitMs = 15_000 } = over;
    const request = { amount, ...(isSponsored ? { isSponsored } : {}), ...(isCosigned ? { isCosigned } : {}) };
    return { id, agentId, request, waitMs };
  }

  /** The events of an operation, oldest first. */
  async events(id: string): Promise<auditV1.OperationChanged[]> {
    const { rows } = await this.database.pool.query<{ payload: Buffer }>('select payload from outbox order by id');
    return rows
      .map(({ payload }) => auditV1.AuditEvent.decode(payload).fact)
      .flatMap((fact) => (fact?.$case === 'operationChanged' && fact.value.operationId === id ? [fact.value] : []));
  }

  /** Waits until nothing is left to do, without the pauses between two visits of decided operations. */
  async closeAll(): Promise<void> {
    await eventually(async () => {
      await this.database.pool.query(
        'update operations set due_at = clock_timestamp() where decided_at is not null and due_at is not null',
      );
      return (await this.openRows()) === 0;
    });
  }

  /** Rows with something left to do. */
  async openRows(): Promise<number> {
    const { rowCount } = await this.database.pool.query('select from operations where due_at is not null');
    return rowCount ?? 0;
  }

  /** Ends every session of the service. */
  async breakConnections(): Promise<void> {
    await this.admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.stop().catch(() => {})));
    await this.database.close();
    await this.admin.end();
    await this.drop();
  }
}

const RECIPIENT = new FakeSigner().wallet;

/** Addresses that a lookup table brings into a cosigned message. */
export const RESOLVED: readonly Uint8Array[] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** The first answer of a run that is more than that the operation exists, however slow the machine is. */
export async function begun<Answer extends { readonly state: string }>(run: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await run();
    if (answer.state !== 'pending') return answer;
  }
}
