import { type AppError, newId, systemClock, usdMicros } from '@agent-wallet/kernel';
import { type Checkpoint, findOperation, OperationEngine, type OperationRecord } from '@agent-wallet/operations';
import { TestSigner } from '@agent-wallet/operations/testing';
import { silent } from '@agent-wallet/platform/testing';
import { checkMessage, openSolanaChain, type SolanaChain } from '@agent-wallet/solana';
import { EarlierAttempts, moveIdOf } from '../../src/application/moves/earlier-attempts.js';
import { GetTreasury } from '../../src/application/wallets/get-treasury.js';
import { MoveHandler, MOVES } from '../../src/application/moves/move-handler.js';
import { Move, type MoveCall, DryRunMove } from '../../src/application/moves/move.js';
import type { MoveRequest } from '../../src/domain/move.js';
import { OwnLandings } from '../../src/domain/own-landings.js';
import type { Operator } from '../../src/domain/operator.js';
import { Sandbox } from '../deposits/sandbox.js';
import { FakeWallets, QUIET } from '../fakes.js';
import { openWalletDatabase } from '../service.js';
import { TestPolicy } from './peers.js';

/** An agent with a wallet. */
export interface Agent {
  readonly agentId: string;
  readonly address: string;
}

/** One copy of the wallet service, as far as moves go. */
export interface Copy {
  readonly move: Move;
  readonly dryRun: DryRunMove;
  readonly engine: OperationEngine;
}

/** Moves on the real chain, with peers that a test can look into. */
export class MoveWorld {
  readonly wallets = new FakeWallets();
  readonly landings = new OwnLandings();
  readonly policy: TestPolicy;
  readonly signer: TestSigner;
  readonly treasury: string;
  readonly sponsor: string;
  readonly #copies: Copy[] = [];

  private constructor(
    readonly sandbox: Sandbox,
    readonly chain: SolanaChain,
    private readonly schema: Awaited<ReturnType<typeof openWalletDatabase>>,
  ) {
    this.policy = new TestPolicy(chain);
    this.signer = new TestSigner({
      intentOf: (claims) => this.policy.intentOf(claims),
      check: ({ message }, intent) => checkMessage(message, intent, { maxNetworkFeeLamports: 10_000n }),
    });
    this.treasury = this.signer.newKey();
    this.sponsor = this.signer.newKey();
  }

  static async open(): Promise<MoveWorld> {
    const [sandbox, schema] = await Promise.all([Sandbox.start(20), openWalletDatabase()]);
    const world = new MoveWorld(sandbox, openSolanaChain({ rpcUrl: sandbox.rpcUrl }), schema);
    await sandbox.faucet(world.treasury, 'SOL', 1);
    await sandbox.faucet(world.treasury, 'USDC', 1_000);
    await sandbox.faucet(world.sponsor, 'SOL', 1);
    return world;
  }

  get database() {
    return this.schema.database;
  }

  /** The operator of this world's copies. */
  operator(over: Partial<Operator> = {}): Operator {
    const fees = { basisPoints: 0, flatUsdMicros: usdMicros(0n) };
    return { sponsor: this.sponsor, feeWallet: undefined, treasury: this.treasury, fees, ...over };
  }

  /** A copy of the service that takes up what others left. */
  copy(over: { readonly operator?: Partial<Operator>; readonly checkpoint?: Checkpoint } = {}): Copy {
    const { wallets, chain, policy, signer, database } = this;
    const operator = this.operator(over.operator);
    const earlier = new EarlierAttempts((id) => findOperation(database, MOVES, id), policy);
    const kind = new MoveHandler({
      wallets,
      chain,
      operator,
      earlier,
      landings: this.landings,
      priority: QUIET,
      logger: silent,
    });
    const engine = new OperationEngine({
      ...{ source: 'wallet', database, handlers: [kind], policy, signer, chain, clock: systemClock, logger: silent },
      ...(over.checkpoint ? { checkpoint: over.checkpoint } : {}),
      timing: {
        leaseMs: 600,
        pollIntervalMs: 20,
        resendMs: 200,
        searchMs: 50,
        retryMs: 20,
        maxRetryMs: 200,
        graceMs: 0,
      },
    });
    const copy = { move: new Move(kind, earlier, engine), dryRun: new DryRunMove(kind, policy, chain), engine };
    this.#copies.push(copy);
    return copy;
  }

  readTreasury(): GetTreasury {
    return new GetTreasury(this.operator(), this.chain);
  }

  /** An agent whose wallet holds that. */
  async agent(funds: Readonly<Record<string, number>>): Promise<Agent> {
    const agent = { agentId: newId(), address: this.signer.newKey() };
    await this.wallets.add(agent.agentId, agent.address);
    await this.database.pool.query('insert into wallets (agent_id, address) values ($1, $2)', [
      agent.agentId,
      agent.address,
    ]);
    for (const [token, amount] of Object.entries(funds)) await this.sandbox.faucet(agent.address, token, amount);
    return agent;
  }

  /** A call that a test repeats at will. */
  call(
    { agentId }: Agent,
    move: Pick<MoveRequest, 'direction' | 'amount'> & Partial<MoveRequest>,
  ): MoveCall & { readonly request: MoveRequest } {
    return { agentId, request: { operationId: newId(), step: 1, attempt: 1, ...move }, waitMs: 30_000 };
  }

  /** The same step once more, after the attempt before. */
  next(call: MoveCall): MoveCall & { readonly request: MoveRequest } {
    return { ...call, request: { ...call.request, attempt: call.request.attempt + 1 } };
  }

  /** The operation that carries out an attempt. */
  async record({ request }: MoveCall): Promise<OperationRecord> {
    return (await findOperation(this.database, MOVES, moveIdOf(request)))!;
  }

  /** Base units of USDC and lamports of an address. */
  async holds(address: string): Promise<readonly [usdc: bigint, lamports: bigint]> {
    return Promise.all([this.sandbox.raw(address, 'USDC'), this.sandbox.raw(address, 'SOL')]);
  }

  /** What the treasury gained or paid since it held that. */
  async treasurySince(before: readonly [usdc: bigint, lamports: bigint]): Promise<readonly [bigint, bigint]> {
    const [usdc, lamports] = await this.holds(this.treasury);
    return [usdc - before[0], lamports - before[1]];
  }

  /** Everything of an address is accepted by the node, and never lands. */
  drop(address: string): Promise<void> {
    return this.sandbox.arm('drop', { times: 10_000, match: { address } });
  }

  async stopCopies(): Promise<void> {
    for (const { engine } of this.#copies.splice(0)) await engine.stop();
  }

  async close(): Promise<void> {
    await this.stopCopies();
    this.chain.close();
    await this.schema.close();
    await this.sandbox.stop();
  }
}

/** How a call ended: an error's code, and what it says of the attempt. */
export const outcomeOf = (move: Promise<unknown>): Promise<string> =>
  move.then(
    () => 'confirmed',
    ({ code, data: { outcome } }: AppError) => (typeof outcome === 'string' ? `${code} ${outcome}` : code),
  );
