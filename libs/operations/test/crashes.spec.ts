import { casesOf, eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, newId } from '@agent-wallet/kernel';
import { splitTransaction } from '@agent-wallet/solana';
import type { OperationRecord } from '../src/index.js';
import { CRASH_PLACES } from './crash-places.js';
import { LIFE } from './fake-chain.js';
import { World } from './world.js';

let world: World;
/** The number of times that all connections break while the operations of one test run. */
const BREAKS = 40;

beforeEach(async () => {
  world = await World.open();
});

afterEach(() => world.close());

const CASES = CRASH_PLACES.flatMap((place) => [[place, 'own'] as const, [place, 'sponsored'] as const]);
/** Places at which a message with two signatures could be left half signed, or be sent twice. */
const SPONSORED_IN_GATE: readonly string[] = ['after-signing', 'after-persisting', 'after-broadcast'];
const GATE = CASES.filter(([place, who]) => who === 'own' || SPONSORED_IN_GATE.includes(place));

describe.each(casesOf(CASES, { gate: GATE }))('a process that dies %s (%s message)', (place, who) => {
  const isSponsored = who === 'sponsored';

  it('leaves an operation that another replica finishes, with one effect', async () => {
    const { engine, died } = world.dyingEngine(place);
    const call = world.call({ isSponsored });
    void engine.run(world.kind, call).catch(() => {});
    await died;
    const heir = world.engine();
    // The heir resumes it without another call.
    await eventually(() => world.chain.effects === 1);
    const record = await heir.run(world.kind, call);
    expect(record).toMatchObject({ state: 'confirmed', plan: { arrived: expect.stringContaining('7 in slot') } });
    expect(splitTransaction(record.attempt!.transaction!).signatures).toHaveLength(isSponsored ? 2 : 1);
    world.chain.finalize();
    await world.closeAll();
    expect(world.built).toBe(1);
    expect(world.signer.signed.size).toBe(1);
    expect(world.chain.effects).toBe(1);
    expect(world.policy.open).toBe(0);
    expect((await world.events(call.id)).map(({ revision }) => revision)).toEqual([1, 2, 3]);
  });

  it('leaves an operation that ends expired when no heir came before its message expired', async () => {
    if (place === 'after-landing' || place === 'before-answering') return; // its outcome was known
    world.chain.landing = 'never';
    const { engine, died } = world.dyingEngine(place);
    const call = world.call({ isSponsored });
    void engine.run(world.kind, call).catch(() => {});
    await died;
    world.chain.height += LIFE + 1;
    const heir = world.engine();
    expect(await heir.run(world.kind, call)).toMatchObject({ state: 'expired' });
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.signer.signed.size).toBe(1);
    expect(world.policy.open).toBe(0);
    expect(world.chain.effects).toBe(0);
  });
});

describe('a process that dies before its request was resolved', () => {
  it('leaves a row that another replica resolves', async () => {
    const call = world.call();
    const { id, agentId, request } = call;
    await world.database.pool.query(
      `insert into operations (id, agent_id, action, request, request_id, created_at_ms, owner, due_at)
       values ($1, $2, 'transfer', $3, 'r', 1, $4, clock_timestamp() + interval '200 milliseconds')`,
      [id, agentId, request, newId()],
    );
    expect(await world.engine().run(world.kind, call)).toMatchObject({ state: 'confirmed', createdAtMs: 1 });
    expect(world.chain.effects).toBe(1);
  });
});

describe('a policy that changes its mind while the process is away', () => {
  it('rejects the operation: nothing is signed, and what was reserved before is released', async () => {
    const { engine, died } = world.dyingEngine('after-reservation');
    const call = world.call();
    void engine.run(world.kind, call).catch(() => {});
    await died;
    world.policy.moods.push(new AppError('POLICY_VIOLATION', { data: { rule: 'daily_limit' } }));
    expect(await world.engine().run(world.kind, call)).toMatchObject({ state: 'rejected' });
    expect(world.policy.open).toBe(1);
    world.chain.height += LIFE + 1;
    await eventually(() => world.policy.open === 0);
    expect(world.signer.signed.size).toBe(0);
  });
});

describe('a worker that is slow', () => {
  it('keeps its lease as long as it lives: no other worker drives', async () => {
    const slow = world.engine({ timing: { leaseMs: 1_000 } });
    world.engine();
    world.chain.landing = 'never';
    const run = slow.run(world.kind, world.call());
    const fence = async () => (await world.database.pool.query('select fence from operations')).rows[0]?.fence;
    await eventually(() => world.chain.sent.length > 0);
    for (let looks = 0; looks < 40; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await fence()).toBe('1');
    }
    world.chain.landing = 'confirmed';
    expect((await run).state).toBe('confirmed');
  });

  it('can write nothing once another has taken over', async () => {
    let release: () => void = () => {};
    const stuck = new Promise<void>((resolve) => (release = resolve));
    let isStuck = false;
    const zombie = world.engine({
      timing: { searchMs: 60_000 }, // or it would take the operation up again itself
      checkpoint: async (name) => {
        if (!name.endsWith('after-signing')) return;
        isStuck = true;
        await stuck;
      },
    });
    const call = world.call();
    const waiting = zombie.run(world.kind, call);
    await eventually(() => isStuck);
    const heir = world.engine();
    // As after a long pause of the whole process: the lease is over, and another one has it. This process is awake and
    // prolongs its lease now and then, so it is ended until the other was faster.
    await eventually(async () => {
      const ended = 'update operations set due_at = clock_timestamp() where fence = 1';
      return (await world.database.pool.query(ended)).rowCount === 0;
    });
    expect(await heir.run(world.kind, call)).toMatchObject({ state: 'confirmed' });
    const sent = world.chain.sent.length;
    release();
    expect(await waiting).toMatchObject({ state: 'confirmed' });
    expect(world.chain.sent).toHaveLength(sent);
    expect((await world.events(call.id)).map(({ revision }) => revision)).toEqual([1, 2, 3]);
    expect(world.chain.effects).toBe(1);
  });
});

describe('a stop', () => {
  it('lets operations end that end within the grace', async () => {
    const engine = world.engine();
    world.chain.landing = 'never';
    const run = engine.run(world.kind, world.call());
    await eventually(() => world.chain.sent.length > 0);
    const stopped = engine.stop();
    world.chain.landing = 'confirmed';
    expect((await run).state).toBe('confirmed');
    await stopped;
  });

  it('hands over what does not, at once, and answers what is known', async () => {
    const engine = world.engine({ timing: { leaseMs: 60_000, graceMs: 50 } });
    world.chain.landing = 'never';
    const call = world.call({ waitMs: 60_000 });
    const run = engine.run(world.kind, call);
    await eventually(() => world.chain.sent.length > 0);
    await engine.stop();
    expect((await run).state).toBe('submitted');
    world.chain.landing = 'confirmed';
    expect(await world.engine().run(world.kind, { ...call, waitMs: 15_000 })).toMatchObject({ state: 'confirmed' });
    expect(world.chain.effects).toBe(1);
  });

  it('accepts what still comes in, for others to carry out', async () => {
    const engine = world.engine();
    await engine.stop();
    const call = world.call();
    expect((await engine.run(world.kind, call)).state).toBe('pending');
    expect(world.built).toBe(0);
    expect(await world.engine().run(world.kind, call)).toMatchObject({ state: 'confirmed' });
  });
});

describe('a database that fails', () => {
  it('refuses a new operation when it certainly was not accepted', async () => {
    const engine = world.engine();
    await world.database.pool.query('alter table operations rename to away');
    await expect(engine.run(world.kind, world.call())).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await world.database.pool.query('alter table away rename to operations');
    expect(world.built).toBe(0);
  });

  it('tells a repeat nothing of the operation, which goes on', async () => {
    const engine = world.engine();
    world.chain.landing = 'never';
    const call = world.call({ waitMs: 50 });
    expect((await engine.run(world.kind, call)).error).toBeUndefined();
    await world.database.pool.query('alter table operations rename to away');
    for (const cancelIfNotStarted of [false, true]) {
      const repeat = engine.run(world.kind, { ...call, cancelIfNotStarted });
      await expect(repeat).rejects.toMatchObject({ code: 'INTERNAL_ERROR', data: {} });
    }
    await world.database.pool.query('alter table away rename to operations');
    world.chain.landing = 'confirmed';
    expect(await engine.run(world.kind, { ...call, waitMs: 15_000 })).toMatchObject({ state: 'confirmed' });
  });

  it('loses nothing while connections break all the time', async () => {
    const engine = world.engine({ timing: { leaseMs: 3_000 } });
    const calls = Array.from({ length: 30 }, () => world.call({ waitMs: 30_000 }));
    const breaking = (async () => {
      for (let n = 0; n < BREAKS; n += 1) {
        await world.breakConnections();
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    })();
    const runs = calls.map((call) => engine.run(world.kind, call).catch((error: AppError) => error));
    const answers = await Promise.all(runs);
    await breaking;
    const done = answers.filter((answer) => !(answer instanceof AppError)) as OperationRecord[];
    expect(new Set(done.map(({ state }) => state))).toEqual(new Set(['confirmed']));
    // Every 5xx was right: its operation never happens.
    expect(world.chain.effects).toBe(done.length);
    expect(world.signer.signed.size).toBe(done.length);
  });
});
