import { REGISTRY } from '../fakes.js';
import { auditV1, type walletV1 } from '@agent-wallet/contracts';
import { newId, systemClock } from '@agent-wallet/kernel';
import { type Database } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { openSolanaChain, type SolanaChain } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import { Keypair, type PublicKey } from '@solana/web3.js';
import { DEPOSIT_TIMING, type DepositTiming } from '../../src/domain/deposits/timing.js';
import type { DepositStep } from '../../src/application/deposits/checkpoint.js';
import { PostgresDepositStore } from '../../src/adapters/postgres-deposit-store.js';
import { PostgresUnreadableStore } from '../../src/adapters/postgres-unreadable-store.js';
import { PostgresWatchedAccountStore } from '../../src/adapters/postgres-watched-account-store.js';
import { type DepositWatch, watchDeposits } from '../../src/application/deposits/watch-deposits.js';
import { openWalletDatabase } from '../service.js';
import { Sandbox } from './sandbox.js';

/** Fast enough for tests; leases end soon. */
const TIMING: Partial<DepositTiming> = {
  pollIntervalMs: 50,
  searchMs: 10,
  followUpMs: 10,
  sweepMs: 100,
  sweepsARound: 100,
  sweepRoundMs: 20,
  fullSweepEvery: 2,
  settleMs: 50,
  leaseMs: 500,
  retryMs: 20,
  maxRetryMs: 200,
  unreadableRetryMs: 100,
  unreadableRoundMs: 20,
};

/** An agent whose key the test holds. */
export interface TestAgent {
  readonly id: string;
  readonly address: string;
  readonly key: Keypair;
  readonly publicKey: PublicKey;
}

/** A deposit as history shows it: the latest revision of its events. */
export interface ShownDeposit {
  readonly status: 'pending' | 'confirmed' | 'dropped';
  readonly asset: string;
  readonly amount: bigint;
  readonly decimals: number;
  readonly to: string;
  readonly signature: string;
  readonly facts: walletV1.DepositFacts;
  readonly revision: number;
  readonly createdAtMs: number;
}

const NAMES: ReadonlyMap<auditV1.OperationStatus, ShownDeposit['status']> = new Map([
  [auditV1.OperationStatus.OPERATION_STATUS_PENDING, 'pending'],
  [auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED, 'confirmed'],
  [auditV1.OperationStatus.OPERATION_STATUS_DROPPED, 'dropped'],
]);

/** A wallet service's schema, its search for deposits, and the sandbox. */
export class DepositWorld {
  readonly #watches: Array<{ watch: DepositWatch; chain: SolanaChain; died: Promise<void> }> = [];

  private constructor(
    readonly sandbox: Sandbox,
    readonly database: Database,
    private readonly closeDatabase: () => Promise<void>,
  ) {}

  static async open(slotMs?: number): Promise<DepositWorld> {
    const [sandbox, { database, close }] = await Promise.all([Sandbox.start(slotMs), openWalletDatabase()]);
    return new DepositWorld(sandbox, database, close);
  }

  async close(): Promise<void> {
    await this.stopWatching();
    await this.sandbox.stop();
    await this.closeDatabase();
  }

  /** A wallet of a new agent; its key is at hand, as the signer has it. */
  async agent(): Promise<TestAgent> {
    const key = Keypair.generate();
    const agent = { id: newId(), address: key.publicKey.toBase58(), key, publicKey: key.publicKey };
    await this.database.pool.query('insert into wallets (agent_id, address) values ($1, $2)', [
      agent.id,
      agent.address,
    ]);
    return agent;
  }

  /**
   * Starts a replica's search. With `dieAt`, nothing of it is executed after it has reached that step so many times:
   * what it had claimed stays claimed, as after a kill.
   */
  watch(
    options: {
      readonly operators?: readonly string[];
      readonly landings?: { has(signature: string, wallet: string): boolean };
      readonly rpcUrl?: string;
      readonly timing?: Partial<DepositTiming>;
      readonly callsInFlight?: number;
      readonly dieAt?: { readonly step: DepositStep; readonly time?: number };
    } = {},
  ): { readonly died: Promise<void> } {
    const { operators = [], landings, rpcUrl = this.sandbox.rpcUrl, callsInFlight = 8, dieAt } = options;
    let isDead = false;
    let die: () => void;
    const died = new Promise<void>((resolve) => (die = resolve));
    let passed = 0;
    const checkpoint = async (step: DepositStep): Promise<void> => {
      if (step === dieAt?.step && (passed += 1) === (dieAt.time ?? 1)) {
        isDead = true;
        die();
      }
      if (isDead) await new Promise<never>(() => {});
    };
    const query = this.database.pool.query.bind(this.database.pool);
    const chain = openSolanaChain({ rpcUrl, maxConnections: callsInFlight, batchesInFlight: callsInFlight });
    // A dead one writes nothing more, wherever its other loops are.
    const pool = {
      query: ((...all: Parameters<typeof query>) => (isDead ? new Promise(() => {}) : query(...all))) as never,
    };
    const timing = { ...DEPOSIT_TIMING, ...TIMING, ...options.timing };
    const deposits = new PostgresDepositStore({ pool, registry: REGISTRY, clock: systemClock, timing });
    const watched = new PostgresWatchedAccountStore(pool, timing);
    const unreadable = new PostgresUnreadableStore(pool, timing);
    const stores = { deposits, watched, unreadable, registry: REGISTRY };
    const by = { timing, clock: systemClock, logger: silent, checkpoint };
    const watch = watchDeposits({ chain, ...stores, operators, landings, callsInFlight, ...by });
    this.#watches.push({ watch, chain, died });
    return { died };
  }

  /** Ends every search; the dead are only left behind. */
  async stopWatching(): Promise<void> {
    for (const { watch, chain, died } of this.#watches.splice(0)) {
      // One may also die while it stops.
      await Promise.race([died, watch.stop()]);
      chain.close();
    }
  }

  /** Ends every search, and watches no agent any more: a later test waits for its own alone. */
  async forget(): Promise<void> {
    await this.stopWatching();
    await this.database.pool.query('delete from watched_accounts');
  }

  /** What history shows of an agent's deposits, dropped ones too, in the order of publication. */
  async shown(agent: Pick<TestAgent, 'id'>): Promise<ShownDeposit[]> {
    const { rows } = await this.database.pool.query<{ payload: Buffer }>(
      'select payload from outbox where agent_id = $1 order by id',
      [agent.id],
    );
    const latest = new Map<string, ShownDeposit>();
    for (const { payload } of rows) {
      const { fact, agentId } = auditV1.AuditEvent.decode(payload);
      if (fact?.$case !== 'operationChanged') continue;
      const { operationId, revision, status, facts, createdAtMs, amount, action, ...rest } = fact.value;
      if (agentId !== agent.id || action !== 'deposit' || facts?.action?.$case !== 'deposit')
        throw new Error('a strange event');
      if (revision !== (latest.get(operationId)?.revision ?? 0) + 1)
        throw new Error(`revision ${revision} out of turn`);
      const { asset, decimals, to, signature } = rest;
      latest.set(operationId, {
        ...{ asset, decimals, to, signature, revision, amount: amount!, status: NAMES.get(status)! },
        facts: facts.action.value,
        createdAtMs: Number(createdAtMs),
      });
    }
    return [...latest.values()];
  }

  /** Waits until so many deposits are shown as confirmed, and everything that was asked for has been read. */
  async confirmed(agent: TestAgent, count: number): Promise<ShownDeposit[]> {
    return eventually(
      () => this.shown(agent),
      (shown) => shown.filter(({ status }) => status === 'confirmed').length >= count,
    );
  }

  /** Waits until every account of the agents was read to the end twice more: what is not shown then is none. */
  async quiet(...agents: TestAgent[]): Promise<void> {
    const ids = agents.map(({ id }) => id);
    const before = await this.#sweeps(ids);
    await eventually(
      () => this.#sweeps(ids),
      (now) => now.every((sweeps, i) => sweeps >= before[i]! + 4),
    );
    // On a slow machine the next sweep is due before what the last one asked for was read: let none come between.
    await this.#postponeSweeps(ids, '1 day');
    await eventually(async () => !(await this.#isBusy(ids)));
    await this.#postponeSweeps(ids, '-1 day');
  }

  async #sweeps(agentIds: readonly string[]): Promise<number[]> {
    const { rows } = await this.database.pool.query<{ sweeps: number }>(
      'select sweeps from watched_accounts where agent_id = any($1) and address = wallet order by id',
      [agentIds],
    );
    return rows.map(({ sweeps }) => sweeps);
  }

  async #postponeSweeps(agentIds: readonly string[], interval: string): Promise<void> {
    await this.database.pool.query(
      'update watched_accounts set sweep_due_at = sweep_due_at + $2::interval where agent_id = any($1)',
      [agentIds, interval],
    );
  }

  async #isBusy(agentIds: readonly string[]): Promise<boolean> {
    const { rows } = await this.database.pool.query<{ busy: boolean }>(
      `select exists (select from watched_accounts where agent_id = any($1) and read_due_at is not null)
         or exists (select from deposits where agent_id = any($1) and settle_due_at is not null) as busy`,
      [agentIds],
    );
    return rows[0]!.busy;
  }
}
