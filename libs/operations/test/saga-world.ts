import { newId, systemClock } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import { type DatabaseTransaction } from '@agent-wallet/platform';
import {
  integer,
  OperatorService,
  type OperationEngine,
  planCodec,
  requestCodec,
  record,
  type SagaInput,
  type Saga,
  type SagaStep,
} from '../src/index.js';
import { World } from './world.js';

/** What a test's saga is asked for. */
export interface SagaRequest {
  readonly goal: number;
}

/** How far it has come. */
export interface SagaPlan {
  readonly done: number;
}

type Advance = (operation: SagaInput<SagaRequest, SagaPlan>, signal: AbortSignal) => Promise<SagaStep<SagaPlan>>;

/** Sagas that count: each step is written beside the operation, so that one that is written twice shows. */
export class SagaWorld {
  /** How often a saga was advanced. */
  advanced = 0;
  /** What advancing does next, before or instead of its work; afterwards it behaves. */
  readonly moods: Advance[] = [];

  private constructor(readonly world: World) {}

  static async open(): Promise<SagaWorld> {
    const world = await World.open();
    await world.database.pool.query('create table steps (operation_id uuid not null, step integer not null)');
    return new SagaWorld(world);
  }

  readonly kind: Saga<SagaRequest, SagaPlan> = {
    action: 'prediction_buy',
    codec: {
      request: requestCodec(record<SagaRequest>({ goal: integer })),
      plan: planCodec(record<SagaPlan>({ done: integer })),
    },
    describe: (_, plan) => ({
      ...{ asset: 'USDC', decimals: 6, amount: BigInt(plan?.done ?? 0) },
      ...(plan?.done ? { signature: `signature ${plan.done}` } : {}),
    }),
    advance: (operation, signal) => {
      this.advanced += 1;
      return (this.moods.shift() ?? this.step)(operation, signal);
    },
    explain: async ({ plan }) => ({ externalState: `${plan?.done ?? 0} are counted`, nextStep: 'another one' }),
    resend: async ({ plan }) => `signature ${plan?.done ?? 0}`,
  };

  /** What it does when nothing is in its way. */
  readonly step: Advance = async ({ id, plan, request }) => {
    const done = (plan?.done ?? 0) + 1;
    const write = this.writing(id, done);
    if (done >= request.goal) return { kind: 'done', plan: { done }, state: 'confirmed', write };
    return { kind: 'on', plan: { done }, state: 'submitted', write, at: `counted-${done}` };
  };

  /** Writes a step beside the operation. */
  writing(id: string, step: number): (tx: DatabaseTransaction) => Promise<void> {
    return async (tx) => {
      await tx.query('insert into steps values ($1, $2)', [id, step]);
    };
  }

  engine(options: Parameters<World['engine']>[0] = {}): OperationEngine {
    const { policy: _, signer: __, chain: ___, ...nobody } = { policy: 0, signer: 0, chain: 0, ...options };
    return this.world.engine({ handlers: [this.kind], ...nobody });
  }

  dyingEngine(place: string) {
    return this.world.dyingEngine(place, { handlers: [this.kind] });
  }

  operators(): OperatorService {
    const { database } = this.world;
    return new OperatorService({
      source: 'prediction',
      ...{ database, clock: systemClock, handlers: [this.kind] },
      outbox: createOutbox('prediction', systemClock),
    });
  }

  call(over: { goal?: number; waitMs?: number; cancelIfNotStarted?: boolean } = {}) {
    const { goal = 3, waitMs = 15_000, cancelIfNotStarted = false } = over;
    return { id: newId(), agentId: newId(), request: { goal }, waitMs, cancelIfNotStarted };
  }

  /** The steps that are written of an operation. */
  async steps(id: string): Promise<number[]> {
    const { rows } = await this.world.database.pool.query<{ step: number }>(
      'select step from steps where operation_id = $1 order by step',
      [id],
    );
    return rows.map(({ step }) => step);
  }

  /** The row as it is. */
  async row(id: string) {
    const { rows } = await this.world.database.pool.query(
      'select state, plan, revision, fence, due_at is null as is_closed from operations where id = $1',
      [id],
    );
    return rows[0] as { state: string; plan: SagaPlan | null; revision: number; fence: string; is_closed: boolean };
  }

  /** What was published of an operation: revision, state and progress. */
  async published(id: string): Promise<Array<readonly [number, number, string]>> {
    const events = await this.world.events(id);
    return events.map(({ revision, status, amount, signature }) => {
      return [revision, Number(amount), `${status} ${signature}`] as const;
    });
  }

  /** Takes an operation out of the hands that have it, as after a long pause of their process. */
  async snatch(id: string): Promise<void> {
    await this.world.database.pool.query(
      'update operations set fence = fence + 1, due_at = clock_timestamp() where id = $1',
      [id],
    );
  }
}
