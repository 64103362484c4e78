import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { signatureText, splitTransaction } from '@agent-wallet/solana';
import { LIFE } from './fake-chain.js';
import { World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(() => world.close());

const signatureOf = (id: string) => world.events(id).then((events) => events.map(({ signature }) => signature));

describe('a message that a cosigner signs after the wallet', () => {
  const cosigned = (waitMs = 15_000) => world.call({ isCosigned: true, waitMs });

  it('leaves with our signature only, and has no id before it is found by it', async () => {
    const engine = world.engine();
    world.chain.landing = 'never';
    const call = cosigned(300);
    const submitted = await eventually(
      () => engine.run(world.trade, call),
      ({ state }) => state === 'submitted',
    );
    expect(submitted).toMatchObject({ attempt: { signature: undefined } });
    const [first, second] = splitTransaction(world.delivered[0]!).signatures;
    expect([...first!].every((byte) => byte === 0)).toBe(true);
    expect(await signatureOf(call.id)).toEqual(['', '']);
    world.chain.landing = 'confirmed';
    const record = await engine.run(world.trade, { ...call, waitMs: 15_000 });
    const [id] = world.chain.statuses.keys();
    expect(id).not.toBe(signatureText(second!));
    expect(record).toMatchObject({ state: 'confirmed', plan: { arrived: expect.stringContaining(id!) } });
    expect(signatureText(record.attempt!.signature!)).toBe(id);
    expect(await signatureOf(call.id)).toEqual(['', '', id]);
    await eventually(() => world.policy.open === 0);
  });

  it("is distinguished from the wallet's other transactions, each of which is read once", async () => {
    const engine = world.engine();
    await engine.run(world.kind, world.call());
    world.chain.landing = 'never';
    const run = engine.run(world.trade, cosigned());
    await eventually(() => world.delivered.length > 2);
    const others = [...world.chain.statuses.keys()];
    expect(world.chain.read).toEqual(others);
    world.chain.landing = 'confirmed';
    const record = await run;
    expect(others).not.toContain(signatureText(record.attempt!.signature!));
    expect(world.chain.effects).toBe(2);
  });

  it('is not searched for before the slot that had passed when it was built', async () => {
    const engine = world.engine();
    await engine.run(world.kind, world.call());
    world.chain.height += 1;
    world.chain.landing = 'never';
    const run = engine.run(world.trade, cosigned());
    await eventually(() => world.delivered.length > 2);
    expect(world.chain.read).toEqual([]);
    world.chain.landing = 'confirmed';
    expect((await run).state).toBe('confirmed');
  });

  it('is dead only when all that the wallet has landed is known, by a node that is fresh enough', async () => {
    const engine = world.engine();
    await engine.run(world.kind, world.call());
    world.chain.finalize();
    const [other] = world.chain.statuses.keys();
    world.chain.landing = 'never';
    world.chain.hidden.add(other!);
    const call = cosigned(300);
    void engine.run(world.trade, call);
    await eventually(() => world.delivered.length > 0);
    const stateNow = async () => (await engine.run(world.trade, call)).state;
    world.chain.height += LIFE;
    expect(await stateNow()).toBe('submitted'); // it may land up to its bound
    world.chain.height += 1;
    expect(await stateNow()).toBe('submitted'); // one that is listed cannot be read
    world.chain.hidden.clear();
    world.chain.contextSlot = world.chain.height - 1;
    world.chain.read.length = 0;
    expect(await stateNow()).toBe('submitted'); // the node that lists them lags
    world.chain.contextSlot = undefined;
    const record = await engine.run(world.trade, { ...call, waitMs: 15_000 });
    expect(record).toMatchObject({ state: 'expired', attempt: { signature: undefined } });
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
  });

  it('is found late, when no process searched in time', async () => {
    const { engine, died } = world.dyingEngine('after-broadcast');
    const call = cosigned();
    void engine.run(world.trade, call).catch(() => {});
    await died;
    world.chain.finalize();
    world.chain.height += LIFE + 1;
    expect(await world.engine().run(world.trade, call)).toMatchObject({ state: 'confirmed' });
    expect(world.chain.effects).toBe(1);
  });

  it('is known by another id when it was rolled back and signed again', async () => {
    const engine = world.engine();
    world.policy.settlesAt = 'finalized';
    const call = cosigned();
    const before = await engine.run(world.trade, call);
    world.maker.isMoody = true;
    world.chain.landing = 'finalized';
    world.chain.rollBack();
    await eventually(async () => (await world.openRows()) === 0);
    const after = await engine.run(world.trade, call);
    expect(after.state).toBe('confirmed');
    const [id] = world.chain.statuses.keys();
    expect(signatureText(after.attempt!.signature!)).toBe(id);
    expect(signatureText(before.attempt!.signature!)).not.toBe(id);
    expect([world.policy.open, world.chain.effects]).toEqual([0, 1]);
  });

  it('is never handed over with an invalid signature of the wallet', async () => {
    const engine = world.engine();
    world.signer.lie = () => ({ signature: Buffer.alloc(64, 1) });
    const run = engine.run(world.trade, cosigned());
    await eventually(() => world.policy.authorized > 2);
    expect(world.delivered).toEqual([]);
    world.signer.lie = undefined;
    expect((await run).state).toBe('confirmed');
  });
});
