import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { auditV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { LIFE } from './fake-chain.js';
import { World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(() => world.close());

const { OperationStatus } = auditV1;

/** A peer that is away for long. */
const isAway = Array.from({ length: 500 }, () => 'fail' as const);

describe('what the chain says', () => {
  it('an error counts once it is final: the caller learns signature and fee', async () => {
    const engine = world.engine();
    world.chain.error = '{"InstructionError":[1,{"Custom":1}]}';
    const call = world.call({ waitMs: 1_000 });
    expect((await engine.run(world.kind, call)).state).toBe('submitted');
    world.chain.finalize();
    const record = await engine.run(world.kind, { ...call, waitMs: 15_000 });
    expect(record).toMatchObject({
      state: 'failed',
      error: { code: 'TRANSACTION_FAILED', data: { networkFeeLamports: '5000', signature: expect.any(String) } },
    });
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
  });

  it('has what was reserved settled at once, without waiting for the next search', async () => {
    const engine = world.engine({ timing: { searchMs: 600_000 } });
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
    await eventually(() => world.policy.open === 0);
    expect(world.policy.authorized).toBe(1);
  });

  it('is not read again before what was reserved is settled', async () => {
    const engine = world.engine({ timing: { searchMs: 600_000 } });
    const reading = jest.spyOn(world.chain, 'signatureStatus');
    const landed = jest.spyOn(world.kind, 'landed');
    const call = world.call();
    await engine.run(world.kind, call);
    const isSettled = 'select from attempts where operation_id = $1 and settled and not finalized';
    await eventually(async () => (await world.database.pool.query(isSettled, [call.id])).rowCount === 1);
    const [decidedAt] = landed.mock.invocationCallOrder;
    expect(reading.mock.invocationCallOrder.filter((order) => order > decidedAt!)).toEqual([]);
    expect(world.chain.sent).toHaveLength(1);
  });

  it('is read again for as long as nothing is settled', async () => {
    const engine = world.engine();
    world.policy.settlesAt = 'finalized';
    await engine.run(world.kind, world.call());
    const reading = jest.spyOn(world.chain, 'signatureStatus');
    await eventually(() => reading.mock.calls.length > 0);
    world.chain.finalize();
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
  });

  it('an answer to a sending changes nothing', async () => {
    const engine = world.engine();
    world.chain.sendAnswer = { kind: 'unknown', cause: new Error('reset') };
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
    world.chain.sendAnswer = { kind: 'rejected', cause: new Error('bad') };
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
  });

  it('death needs a finalized height past the bound; at the bound it may still land', async () => {
    let expiries = 0;
    const engine = world.engine({ priority: { noteExpiry: () => (expiries += 1) } });
    world.chain.landing = 'never';
    const call = world.call({ waitMs: 300 });
    void engine.run(world.kind, call);
    await eventually(() => world.chain.sent.length > 0);
    world.chain.height += LIFE;
    expect((await engine.run(world.kind, call)).state).toBe('submitted');
    world.chain.height += 1;
    world.chain.contextSlot = world.chain.height - 1; // a node that lags behind the head proves nothing
    expect((await engine.run(world.kind, call)).state).toBe('submitted');
    world.chain.contextSlot = world.chain.height;
    const record = await engine.run(world.kind, { ...call, waitMs: 15_000 });
    expect(record).toMatchObject({ state: 'expired', error: { code: 'TRANSACTION_EXPIRED' } });
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
    expect((await world.events(call.id)).at(-1)!.status).toBe(OperationStatus.OPERATION_STATUS_EXPIRED);
    expect(expiries).toBe(1);
  });

  it('a death that has a better reason fails with it, and raises no fee', async () => {
    let expiries = 0;
    const engine = world.engine({ priority: { noteExpiry: () => (expiries += 1) } });
    world.chain.landing = 'never';
    world.death = new AppError('INSUFFICIENT_FUNDS');
    const run = engine.run(world.kind, world.call());
    await eventually(() => world.chain.sent.length > 0);
    world.chain.height += LIFE + 1;
    expect(await run).toMatchObject({ state: 'failed', error: { code: 'INSUFFICIENT_FUNDS' } });
    expect(expiries).toBe(0);
  });

  it('silence says nothing', async () => {
    const engine = world.engine();
    world.chain.isDown = true;
    const call = world.call({ waitMs: 1_000 });
    expect((await engine.run(world.kind, call)).state).toBe('submitted');
    world.chain.isDown = false;
    expect((await engine.run(world.kind, { ...call, waitMs: 15_000 })).state).toBe('confirmed');
  });

  it('a confirmed transaction that is rolled back is sent again, and expires when it is proven dead', async () => {
    const engine = world.engine();
    world.policy.settlesAt = 'finalized';
    const call = world.call();
    await engine.run(world.kind, call);
    const sent = world.chain.sent.length;
    world.chain.landing = 'never';
    world.chain.rollBack();
    await eventually(() => world.chain.sent.length > sent);
    expect((await engine.run(world.kind, call)).state).toBe('confirmed');
    world.chain.height += LIFE + 1;
    await eventually(async () => (await engine.run(world.kind, call)).state === 'expired');
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
    expect((await world.events(call.id)).map(({ revision }) => revision)).toEqual([1, 2, 3, 4]);
  });
});

describe('what is read from a transaction that landed', () => {
  const away = new AppError('UPSTREAM_ERROR');

  it('is stored and published with the confirmation, once it can be read', async () => {
    const engine = world.engine();
    world.readings.push(away, new Error('it is not there yet'));
    const call = world.call();
    const record = await engine.run(world.kind, call);
    expect(record).toMatchObject({ state: 'confirmed', plan: { amount: '7', arrived: expect.any(String) } });
    expect(world.read).toBe(3);
    expect((await engine.run(world.kind, call)).plan).toEqual(record.plan);
    const events = await world.events(call.id);
    expect(events.map(({ facts }) => facts?.action?.$case === 'deposit' && facts.action.value.from !== '')).toEqual([
      false,
      false,
      true,
    ]);
    world.chain.finalize();
    await eventually(async () => (await world.openRows()) === 0);
    expect((await engine.run(world.kind, call)).plan).toEqual(record.plan);
    expect(world.read).toBe(3);
  });

  it('is done without when it cannot be read: the confirmation is not lost', async () => {
    const engine = world.engine();
    world.readings.push(away, away, away);
    const call = world.call();
    const record = await engine.run(world.kind, call);
    expect(record).toMatchObject({ state: 'confirmed', plan: { amount: '7' } });
    expect(record.plan).not.toHaveProperty('arrived');
    expect([world.read, world.chain.effects]).toEqual([3, 1]);
    expect(await world.events(call.id)).toHaveLength(3);
  });

  it('may be nothing', async () => {
    world.readings.push('nothing');
    expect((await world.engine().run(world.kind, world.call())).plan).toEqual({ amount: '7' });
  });

  it('is not asked for when the transaction failed, or never landed', async () => {
    const engine = world.engine();
    world.chain.error = '{"InstructionError":[1,{"Custom":1}]}';
    world.chain.landing = 'finalized';
    expect((await engine.run(world.kind, world.call())).state).toBe('failed');
    world.chain.landing = 'never';
    const run = engine.run(world.kind, world.call());
    await eventually(() => world.chain.sent.length > 1);
    world.chain.height += LIFE + 1;
    expect((await run).state).toBe('expired');
    expect(world.read).toBe(0);
  });
});

describe('a message that dies before it is signed', () => {
  it('ends expired while policy is away; what it had reserved is released when policy is back', async () => {
    const engine = world.engine();
    world.policy.moods.push('lose the answer', ...isAway);
    world.policy.settleMoods.push(...isAway);
    const run = engine.run(world.kind, world.call());
    await eventually(() => world.policy.authorized > 2);
    world.chain.height += LIFE;
    const authorized = world.policy.authorized;
    await eventually(() => world.policy.authorized > authorized + 2);
    world.chain.height += 1;
    expect(await run).toMatchObject({ state: 'expired', error: { code: 'TRANSACTION_EXPIRED' } });
    expect(world.policy.open).toBe(1);
    world.policy.settleMoods.length = 0;
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
    expect(world.chain.sent).toHaveLength(0);
  });

  it('leaves nothing reserved when it was permitted and never signed', async () => {
    const engine = world.engine();
    world.signer.moods.push(...isAway);
    const run = engine.run(world.kind, world.call());
    await eventually(() => world.policy.open === 1);
    world.chain.height += LIFE + 1;
    expect((await run).state).toBe('expired');
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
    expect(world.signer.signed.size).toBe(0);
  });
});

describe('settling', () => {
  it('is tried until policy says that it is done, and delays no caller', async () => {
    const engine = world.engine();
    world.policy.settleMoods.push('fail', new AppError('INTERNAL_ERROR'));
    world.chain.landing = 'finalized';
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
    expect(world.policy.open).toBe(1);
    await eventually(async () => (await world.openRows()) === 0, 10_000);
    expect(world.policy.open).toBe(0);
  });
});
