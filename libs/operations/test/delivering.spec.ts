import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, systemClock } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import { signatureText } from '@agent-wallet/solana';
import { OperatorService } from '../src/index.js';
import { CRASH_PLACES } from './crash-places.js';
import { LIFE } from './fake-chain.js';
import { begun, RESOLVED, World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(() => world.close());

const CASES = CRASH_PLACES.flatMap((place) => [[place, 'own'] as const, [place, 'cosigned'] as const]);

/** Whether all that was handed over are the same bytes. */
const isOne = () => new Set(world.delivered.map((bytes) => Buffer.from(bytes).toString('hex'))).size === 1;

const signatureOf = (id: string) => world.events(id).then((events) => events.map(({ signature }) => signature));

describe('a delivery that answers', () => {
  it.each(['own', 'cosigned'])('is the moment to look at the outcome (%s message)', async (whose) => {
    const never = 60_000;
    const { trade } = world;
    const slow: typeof trade = {
      ...trade,
      deliver: async (...delivery) => {
        // Longer than the first look takes.
        await new Promise((resolve) => setTimeout(resolve, 500));
        await trade.deliver!(...delivery);
      },
    };
    const engine = world.engine({
      handlers: [slow],
      timing: { pollIntervalMs: never, findMs: never, resendMs: never },
    });
    const call = world.call({ isCosigned: whose === 'cosigned' });
    expect(await engine.run(slow, call)).toMatchObject({ state: 'confirmed' });
    expect(isOne()).toBe(true);
  });
});

describe.each(CASES)('a process that dies %s, of a kind that delivers (%s message)', (place, whose) => {
  const isCosigned = whose === 'cosigned';

  it('leaves an operation that another replica finishes, with one effect', async () => {
    const { engine, died } = world.dyingEngine(place);
    const call = world.call({ isCosigned });
    void engine.run(world.trade, call).catch(() => {});
    await died;
    const heir = world.engine();
    await eventually(() => world.chain.effects === 1);
    const record = await heir.run(world.trade, call);
    expect(record).toMatchObject({ state: 'confirmed', plan: { arrived: expect.stringContaining('7 in slot') } });
    world.chain.finalize();
    await world.closeAll();
    expect([world.built, world.signer.signed.size, world.chain.effects, world.policy.open]).toEqual([1, 1, 1, 0]);
    expect(isOne()).toBe(true);
    expect(world.chain.sent).toEqual([]);
    expect(new Set(world.signer.resolved.map((each) => Buffer.concat(each).toString('hex')))).toEqual(
      new Set([isCosigned ? Buffer.concat(RESOLVED).toString('hex') : '']),
    );
    expect((await world.events(call.id)).map(({ revision }) => revision)).toEqual([1, 2, 3]);
  });

  it('leaves an operation that ends expired when no heir came before its message expired', async () => {
    if (place === 'after-landing' || place === 'before-answering') return; // its outcome was known
    world.chain.landing = 'never';
    const { engine, died } = world.dyingEngine(place);
    const call = world.call({ isCosigned });
    void engine.run(world.trade, call).catch(() => {});
    await died;
    world.chain.height += LIFE + 1;
    expect(await world.engine().run(world.trade, call)).toMatchObject({ state: 'expired' });
    await eventually(async () => (await world.openRows()) === 0);
    expect([world.policy.open, world.chain.effects]).toEqual([0, 0]);
  });
});

describe('a delivery', () => {
  it('whose answer is lost, or bad, changes nothing', async () => {
    const engine = world.engine();
    world.deliveries.push(new AppError('UPSTREAM_ERROR'));
    expect((await engine.run(world.trade, world.call())).state).toBe('confirmed');
    world.deliveries.push(new Error('reset'));
    expect((await engine.run(world.trade, world.call({ isCosigned: true }))).state).toBe('confirmed');
    expect(world.delivered).toHaveLength(2);
  });

  it.each([false, true])('is repeated with the same bytes until they land (cosigned: %s)', async (isCosigned) => {
    const engine = world.engine();
    world.chain.landing = 'never';
    world.deliveries.push(new Error('reset'));
    const run = engine.run(world.trade, world.call({ isCosigned }));
    await eventually(() => world.delivered.length > 3);
    world.chain.landing = 'confirmed';
    expect((await run).state).toBe('confirmed');
    expect(isOne()).toBe(true);
    expect(world.chain.sent).toEqual([]);
  });

  it('that is never answered holds up no landing, and is not made twice meanwhile', async () => {
    const engine = world.engine();
    world.chain.isDown = true;
    world.deliveries.push('hangs after its work');
    const call = world.call({ waitMs: 300 }); // six times the interval of sending
    expect((await begun(() => engine.run(world.trade, call))).state).toBe('submitted');
    expect(world.delivered).toHaveLength(1);
    world.chain.isDown = false;
    expect((await engine.run(world.trade, { ...call, waitMs: 15_000 })).state).toBe('confirmed');
    expect(world.delivered).toHaveLength(1);
  });

  it('that is never answered holds up no death', async () => {
    const engine = world.engine();
    world.deliveries.push('hangs');
    const run = engine.run(world.trade, world.call());
    await eventually(() => world.delivered.length === 1);
    world.chain.height += LIFE + 1;
    expect((await run).state).toBe('expired');
    await eventually(() => world.policy.open === 0);
  });

  it('that is never answered holds up no stop', async () => {
    const engine = world.engine({ timing: { leaseMs: 60_000, graceMs: 50 } });
    world.deliveries.push('hangs');
    const call = world.call({ waitMs: 60_000 });
    const run = engine.run(world.trade, call);
    await eventually(() => world.delivered.length === 1);
    await engine.stop();
    expect((await run).state).toBe('submitted');
    expect(await world.engine().run(world.trade, { ...call, waitMs: 15_000 })).toMatchObject({ state: 'confirmed' });
    expect([world.chain.effects, world.delivered.length]).toEqual([1, 2]);
  });

  it('is made again when what was confirmed is rolled back', async () => {
    const engine = world.engine();
    world.policy.settlesAt = 'finalized';
    const call = world.call();
    await engine.run(world.trade, call);
    world.chain.rollBack();
    await eventually(() => world.delivered.length > 1 && world.chain.effects === 1);
    world.chain.finalize();
    await world.closeAll();
    expect([isOne(), world.policy.open]).toEqual([true, 0]);
  });

  it('is made by the operators, too', async () => {
    const engine = world.engine({ timing: { resendMs: 60_000 } });
    world.chain.landing = 'never';
    const call = world.call({ isCosigned: true });
    const run = engine.run(world.trade, call);
    await eventually(() => world.delivered.length === 1);
    const { database, chain } = world;
    const operators = new OperatorService({
      source: 'wallet',
      ...{ database, chain, clock: systemClock, handlers: [world.trade] },
      outbox: createOutbox('wallet', systemClock),
    });
    expect((await operators.explain(call.id)).externalState).toContain('It is not found.');
    world.chain.landing = 'confirmed';
    expect(await operators.resend(call.id, { operator: 'someone', reason: 'a test' })).toBe('');
    const { attempt } = await run;
    expect(isOne()).toBe(true);
    expect((await operators.explain(call.id)).externalState).toContain('It landed');
    expect(world.chain.statuses.has(signatureText(attempt!.signature!))).toBe(true);
  });
});

describe('a failure that landed', () => {
  const code = '{"InstructionError":[3,{"Custom":6001}]}';

  it.each([false, true])('is explained once it is final, with id and fee (cosigned: %s)', async (isCosigned) => {
    const engine = world.engine();
    world.chain.error = code;
    world.failure = new AppError('SLIPPAGE_EXCEEDED', { data: { slippageBps: 50 } });
    const call = world.call({ isCosigned, waitMs: 500 });
    expect((await begun(() => engine.run(world.trade, call))).state).toBe('submitted');
    world.chain.finalize();
    const record = await engine.run(world.trade, { ...call, waitMs: 15_000 });
    const [signature] = world.chain.statuses.keys();
    const networkFeeLamports = isCosigned ? '0' : '5000'; // the maker pays for what it signs
    expect(record).toMatchObject({
      state: 'failed',
      error: { code: 'SLIPPAGE_EXCEEDED', data: { slippageBps: 50, signature, networkFeeLamports } },
      attempt: { chainError: code },
    });
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
    expect((await signatureOf(call.id)).at(-1)).toBe(signature);
  });

  it.each([
    ['nothing', undefined],
    ['an error of its own', new Error('oops')],
  ])('is TRANSACTION_FAILED when the kind says %s', async (_, failure) => {
    const engine = world.engine();
    world.chain.error = code;
    world.chain.landing = 'finalized';
    world.failure = failure;
    expect(await engine.run(world.trade, world.call())).toMatchObject({
      state: 'failed',
      error: { code: 'TRANSACTION_FAILED', data: { networkFeeLamports: '5000', signature: expect.any(String) } },
    });
  });
});
