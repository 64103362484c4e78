import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { auditV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { SagaStep } from '../src/index.js';
import { type SagaPlan, SagaWorld } from './saga-world.js';
import { begun } from './world.js';

const { OPERATION_STATUS_SUBMITTED: SUBMITTED, OPERATION_STATUS_CONFIRMED: CONFIRMED } = auditV1.OperationStatus;

let sagas: SagaWorld;
/** The number of times that all connections break while the operations of one test run. */
const BREAKS = 40;

beforeEach(async () => {
  sagas = await SagaWorld.open();
});

afterEach(() => sagas.world.close());

describe('a saga', () => {
  it('goes on from what is written, and tells history every step with the signature that it names', async () => {
    const call = sagas.call();
    expect(await sagas.engine().run(sagas.kind, call)).toMatchObject({ state: 'confirmed', plan: { done: 3 } });
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
    expect(sagas.advanced).toBe(3);
    expect(await sagas.published(call.id)).toEqual([
      [1, 1, `${SUBMITTED} signature 1`],
      [2, 2, `${SUBMITTED} signature 2`],
      [3, 3, `${CONFIRMED} signature 3`],
    ]);
    expect(await sagas.row(call.id)).toMatchObject({ state: 'confirmed', is_closed: true });
  });

  it('is answered to every caller that waits, and to those that come later', async () => {
    const engine = sagas.engine();
    const call = sagas.call();
    const others = [engine, sagas.engine()];
    const records = await Promise.all([engine, ...others].map((each) => each.run(sagas.kind, call)));
    expect(new Set(records.map(({ state }) => state))).toEqual(new Set(['confirmed']));
    expect(await others[1]!.run(sagas.kind, call)).toMatchObject({ plan: { done: 3 } });
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
    await expect(engine.run(sagas.kind, { ...call, request: { goal: 4 } })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_MISMATCH',
    });
  });

  it('ends with the error that every repeat is answered, and tells history only what it is to', async () => {
    const engine = sagas.engine();
    const call = sagas.call();
    const error = new AppError('MARKET_CLOSED', { data: { ticker: 'X' } });
    sagas.moods.push(
      async () => ({ kind: 'on', plan: { done: 1 }, publishesEvent: false }),
      async () => ({ kind: 'done', plan: { done: 1 }, state: 'rejected', error, publishesEvent: false }),
    );
    expect(await engine.run(sagas.kind, call)).toMatchObject({ state: 'rejected', error: { code: 'MARKET_CLOSED' } });
    expect((await sagas.engine().run(sagas.kind, call)).error).toMatchObject({ data: { ticker: 'X' } });
    expect(await sagas.published(call.id)).toEqual([]);
  });

  it('that waits writes nothing, and its callers get what is known when their own wait is over', async () => {
    const engine = sagas.engine();
    const call = sagas.call({ waitMs: 50 });
    let waits = 0;
    let hasResponse = false;
    const wait = async (): Promise<SagaStep<SagaPlan>> => {
      waits += 1;
      if (!hasResponse) sagas.moods.push(wait);
      return { kind: 'wait', forMs: 10 };
    };
    sagas.moods.push(sagas.step, wait);
    const answer = await begun(() => engine.run(sagas.kind, call));
    expect(answer).toMatchObject({ state: 'submitted', plan: { done: 1 } });
    expect((await sagas.published(call.id)).length).toBe(1);
    hasResponse = true;
    expect(await engine.run(sagas.kind, { ...call, waitMs: 15_000 })).toMatchObject({ state: 'confirmed' });
    expect(sagas.advanced).toBe(3 + waits);
  });

  it('that could not be advanced is advanced again, from the row', async () => {
    const call = sagas.call();
    const seen: unknown[] = [];
    sagas.moods.push(sagas.step, async ({ plan }) => {
      seen.push(plan);
      throw new AppError('UPSTREAM_TIMEOUT');
    });
    expect(await sagas.engine().run(sagas.kind, call)).toMatchObject({ state: 'confirmed' });
    expect(seen).toEqual([{ done: 1 }]);
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
  });

  it('that has not started when a caller only asks never does', async () => {
    const engine = sagas.engine();
    const call = sagas.call();
    expect(await engine.run(sagas.kind, { ...call, cancelIfNotStarted: true })).toMatchObject({ state: 'expired' });
    expect(await engine.run(sagas.kind, call)).toMatchObject({ error: { code: 'TRANSACTION_EXPIRED' } });
    expect(sagas.advanced).toBe(0);
  });

  it('is not driven by an engine that lacks what its other handlers need', () => {
    const { world } = sagas;
    const nobody = { policy: undefined, signer: undefined, chain: undefined };
    expect(() => world.engine({ ...nobody, handlers: [sagas.kind, world.kind] })).toThrow('transfer needs policy');
  });
});

describe('what is written with a step', () => {
  it.each([
    ['an error of its own', new Error('a bug')],
    ['an error that may pass', new AppError('SERVICE_UNAVAILABLE')],
  ])('changes nothing when it fails with %s: the step is taken again', async (_, error) => {
    const call = sagas.call({ waitMs: 20_000 });
    let failures = 0;
    let between: unknown;
    sagas.moods.push(sagas.step, async ({ id }) => ({
      ...{ kind: 'on', plan: { done: 99 }, state: 'submitted' },
      write: async (tx) => {
        await sagas.writing(id, 99)(tx);
        failures += 1;
        throw error;
      },
      otherwise: () => undefined,
    }));
    sagas.moods.push(async (operation, signal) => {
      between = [await sagas.row(call.id), await sagas.steps(call.id), (await sagas.published(call.id)).length];
      return sagas.step(operation, signal);
    });
    expect(await sagas.engine().run(sagas.kind, call)).toMatchObject({ state: 'confirmed', plan: { done: 3 } });
    expect(failures).toBe(1);
    expect(between).toEqual([expect.objectContaining({ plan: { done: 1 }, revision: 1 }), [1], 1]);
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
  });

  it('can be refused: then the step instead of it is written, and nothing of the first', async () => {
    const call = sagas.call();
    sagas.moods.push(sagas.step, async ({ id, plan }) => ({
      ...{ kind: 'on', plan: { done: 99 } },
      write: async (tx) => {
        await sagas.writing(id, 99)(tx);
        throw new AppError('INSUFFICIENT_POSITION');
      },
      otherwise: (error) => ({ kind: 'done', plan, state: 'failed', error, write: sagas.writing(id, 50) }),
    }));
    const record = await sagas.engine().run(sagas.kind, call);
    expect(record).toMatchObject({ state: 'failed', plan: { done: 1 }, error: { code: 'INSUFFICIENT_POSITION' } });
    expect(await sagas.steps(call.id)).toEqual([1, 50]);
    expect(await sagas.published(call.id)).toHaveLength(2);
  });

  it('is not begun once the lease is lost', async () => {
    const zombie = sagas.engine({ timing: { searchMs: 60_000 } });
    const call = sagas.call();
    let writes = 0;
    let isSnatched = false;
    sagas.moods.push(async ({ id }) => {
      await sagas.snatch(id);
      isSnatched = true;
      const write = async () => void (writes += 1);
      return { kind: 'done', plan: { done: 99 }, state: 'confirmed', write };
    });
    const waiting = zombie.run(sagas.kind, call);
    // Either engine may take it up again, so its fence is not the same for long.
    await eventually(() => isSnatched);
    expect(await sagas.engine().run(sagas.kind, call)).toMatchObject({ plan: { done: 3 } });
    expect(await waiting).toMatchObject({ plan: { done: 3 } });
    expect(writes).toBe(0);
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
  });

  it('keeps its operation: no worker takes it over in the middle, however late the lease is', async () => {
    const engine = sagas.engine({ timing: { leaseMs: 100, searchMs: 60_000 } });
    const heir = sagas.engine();
    const call = sagas.call();
    sagas.moods.push(async ({ id }) => ({
      ...{ kind: 'on', plan: { done: 1 }, state: 'submitted' },
      write: async (tx) => {
        await sagas.writing(id, 1)(tx);
        await new Promise((resolve) => setTimeout(resolve, 500));
      },
    }));
    const waiting = engine.run(sagas.kind, call);
    expect(await waiting).toMatchObject({ state: 'confirmed' });
    expect(await heir.run(sagas.kind, call)).toMatchObject({ plan: { done: 3 } });
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
  });
});

describe('a process that dies in a saga', () => {
  it.each(['counted-1', 'counted-2', 'before-answering'])('at %s leaves it to another one', async (place) => {
    const { engine, died } = sagas.dyingEngine(`prediction_buy.${place}`);
    const call = sagas.call();
    void engine.run(sagas.kind, call).catch(() => {});
    await died;
    const heir = sagas.engine();
    // The heir resumes it without another call.
    await eventually(async () => (await sagas.row(call.id)).state === 'confirmed');
    expect(await heir.run(sagas.kind, call)).toMatchObject({ plan: { done: 3 } });
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
    expect((await sagas.published(call.id)).map(([revision]) => revision)).toEqual([1, 2, 3]);
    expect(sagas.advanced).toBe(3);
  });

  it('in the middle of a step has it taken again, with the same plan', async () => {
    const engine = sagas.engine({ timing: { leaseMs: 200, searchMs: 60_000, graceMs: 0 } });
    const call = sagas.call();
    const seen: Array<SagaPlan | undefined> = [];
    // An engine of an earlier test may take it as soon as it is snatched, so all three are scripted before.
    sagas.moods.push(
      sagas.step,
      async ({ plan, id }) => {
        seen.push(plan);
        await sagas.snatch(id);
        return new Promise<never>(() => {});
      },
      async (operation, signal) => {
        seen.push(operation.plan);
        return sagas.step(operation, signal);
      },
    );
    void engine.run(sagas.kind, call).catch(() => {});
    await eventually(() => seen.length >= 1);
    expect(await sagas.engine().run(sagas.kind, call)).toMatchObject({ state: 'confirmed' });
    expect(seen).toEqual([{ done: 1 }, { done: 1 }]);
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
  });

  it('loses nothing and writes nothing twice while connections break all the time', async () => {
    const engine = sagas.engine();
    const calls = Array.from({ length: 20 }, () => sagas.call({ goal: 10, waitMs: 25_000 }));
    const breaking = (async () => {
      for (let n = 0; n < BREAKS; n += 1) {
        await sagas.world.breakConnections();
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    })();
    const answers = await Promise.all(calls.map((call) => engine.run(sagas.kind, call).catch((error: Error) => error)));
    await breaking;
    const accepted = calls.filter((_, i) => !(answers[i] instanceof Error));
    expect(accepted.length).toBeGreaterThan(0);
    for (const { id } of accepted) {
      expect(await sagas.row(id)).toMatchObject({ state: 'confirmed', revision: 10 });
      expect(await sagas.steps(id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
  });
});

describe('a stop during a saga', () => {
  it('ends its wait, tells it so, and hands it over at once', async () => {
    const engine = sagas.engine({ timing: { leaseMs: 60_000, graceMs: 50 } });
    const call = sagas.call({ waitMs: 60_000 });
    let received: AbortSignal | undefined;
    sagas.moods.push(sagas.step, async (_, signal) => {
      received = signal;
      return { kind: 'wait', forMs: 600_000 };
    });
    const run = engine.run(sagas.kind, call);
    await eventually(() => received !== undefined);
    await engine.stop();
    expect(received!.aborted).toBe(true);
    expect(await run).toMatchObject({ state: 'submitted' });
    expect(await sagas.engine().run(sagas.kind, { ...call, waitMs: 15_000 })).toMatchObject({ state: 'confirmed' });
    expect(await sagas.steps(call.id)).toEqual([1, 2, 3]);
  });
});

describe("the operators' view", () => {
  it('shows sagas in their own words, and hands on what they have under way', async () => {
    const engine = sagas.engine();
    const call = sagas.call({ waitMs: 100 });
    let isSeen = false;
    const wait = async (): Promise<SagaStep<SagaPlan>> => {
      if (!isSeen) sagas.moods.push(wait);
      return { kind: 'wait', forMs: 10 };
    };
    sagas.moods.push(sagas.step, wait);
    await begun(() => engine.run(sagas.kind, call));
    const operators = sagas.operators();
    const operation = { operationId: call.id, action: 'prediction_buy', state: 'submitted', signature: 'signature 1' };
    expect(await operators.open({ minAgeMs: 0, limit: 10 })).toMatchObject([
      { ...operation, lastValidBlockHeight: 0n },
    ]);
    expect(await operators.explain(call.id)).toMatchObject({
      operation,
      externalState: '1 are counted',
      nextStep: 'another one',
    });
    expect(await operators.resend(call.id, { operator: 'someone', reason: 'a test' })).toBe('signature 1');
    isSeen = true;
    await engine.run(sagas.kind, { ...call, waitMs: 15_000 });
    await expect(operators.resend(call.id, { operator: 'someone', reason: 'a test' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
