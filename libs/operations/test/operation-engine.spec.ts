import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { auditV1 } from '@agent-wallet/contracts';
import { AppError, errorEntry, newId, unknownToken } from '@agent-wallet/kernel';
import { signatureText } from '@agent-wallet/solana';
import { World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(() => world.close());

const { OperationStatus } = auditV1;

describe('an operation that goes well', () => {
  it('is pending, submitted and confirmed in history, settled with policy, and closed', async () => {
    const engine = world.engine();
    const call = world.call();
    const record = await engine.run(world.kind, call);
    const arrived = `7 in slot ${world.chain.height} by ${signatureText(record.attempt!.signature!)}`;
    expect(record).toMatchObject({ state: 'confirmed', revision: 3, plan: { amount: '7', arrived } });
    expect(world.chain.effects).toBe(1);
    const events = await world.events(call.id);
    expect(events.map(({ status, revision }) => [revision, status])).toEqual([
      [1, OperationStatus.OPERATION_STATUS_PENDING],
      [2, OperationStatus.OPERATION_STATUS_SUBMITTED],
      [3, OperationStatus.OPERATION_STATUS_CONFIRMED],
    ]);
    expect(events[2]).toMatchObject({ action: 'transfer', asset: 'SOL', amount: 7n, decimals: 9, to: 'someone' });
    expect(events[2]!.facts).toEqual({
      ...{ action: { $case: 'deposit', value: { mint: '7', from: arrived, account: '' } }, errorJson: '' },
      networkFeeLamports: 5_000n,
    });
    expect(events[0]!.signature).toBe('');
    expect(events[1]!.signature).toBe(events[2]!.signature);
    await eventually(() => world.policy.open === 0);
    expect(await world.openRows()).toBe(1); // it is not finalized yet
    world.chain.finalize();
    await eventually(async () => (await world.openRows()) === 0);
    expect(await world.events(call.id)).toHaveLength(3);
  });

  it('of several assets has none of its own in its record', async () => {
    const call = world.call();
    const kind = { ...world.kind, describe: () => ({}) };
    await world.engine({ handlers: [kind] }).run(kind, call);
    const [accepted] = await world.events(call.id);
    expect([accepted!.asset, accepted!.amount, accepted!.decimals]).toEqual(['', undefined, 0]);
  });

  it('answers a repeat what it answered at first, and does nothing again', async () => {
    const engine = world.engine();
    const call = world.call();
    const first = await engine.run(world.kind, call);
    const second = await engine.run(world.kind, call);
    expect(second.attempt!.signature).toEqual(Buffer.from(first.attempt!.signature!));
    expect(second.state).toBe('confirmed');
    expect(world.built).toBe(1);
  });

  it('has one effect for fifty callers at once, over two replicas', async () => {
    const engines = [world.engine(), world.engine()];
    const call = world.call();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => engines[i % 2]!.run(world.kind, call)));
    expect(new Set(answers.map(({ state }) => state))).toEqual(new Set(['confirmed']));
    expect(world.signer.signed.size).toBe(1);
    expect(world.chain.effects).toBe(1);
    expect(await world.events(call.id)).toHaveLength(3);
  });

  it('answers what is known when the wait is over, and goes on', async () => {
    const engine = world.engine();
    world.chain.landing = 'never';
    const call = world.call({ waitMs: 1_000 });
    const record = await engine.run(world.kind, call);
    expect(record).toMatchObject({ state: 'submitted', error: undefined });
    expect(record.attempt!.signature).toHaveLength(64);
    world.chain.landing = 'confirmed';
    expect(await engine.run(world.kind, { ...call, waitMs: 15_000 })).toMatchObject({ state: 'confirmed' });
    expect(world.chain.effects).toBe(1);
  });

  it('sends the same bytes again and again until they land', async () => {
    const engine = world.engine();
    world.chain.landing = 'never';
    const run = engine.run(world.kind, world.call());
    await eventually(() => world.chain.sent.length > 3);
    world.chain.landing = 'confirmed';
    expect((await run).state).toBe('confirmed');
    expect(new Set(world.chain.sent.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(1);
  });
});

describe('an id that was used', () => {
  it.each([
    ['another agent', { agentId: newId() }],
    ['another request', { amount: '8' }],
  ])('is refused to %s', async (_, other) => {
    const engine = world.engine();
    const call = world.call();
    await engine.run(world.kind, call);
    const again = world.call({ ...call, amount: call.request.amount, ...other });
    await expect(engine.run(world.kind, again)).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    expect(world.chain.effects).toBe(1);
  });
});

describe('a caller that only asks', () => {
  it('ensures that what has not started never does, and history learns of it once', async () => {
    const engine = world.engine();
    const call = world.call();
    for (const cancelIfNotStarted of [true, true, false]) {
      const record = await engine.run(world.kind, { ...call, cancelIfNotStarted });
      expect(record).toMatchObject({ state: 'expired', error: { code: 'TRANSACTION_EXPIRED' } });
    }
    expect([world.built, world.chain.effects, await world.openRows()]).toEqual([0, 0, 0]);
    const events = await world.events(call.id);
    expect(events.map(({ status, revision }) => [revision, status])).toEqual([
      [1, OperationStatus.OPERATION_STATUS_EXPIRED],
    ]);
  });

  it('gets the outcome of what has started', async () => {
    const engine = world.engine();
    const call = world.call();
    await engine.run(world.kind, call);
    expect(await engine.run(world.kind, { ...call, cancelIfNotStarted: true })).toMatchObject({ state: 'confirmed' });
    expect(world.chain.effects).toBe(1);
  });

  it('and one that starts it at the same instant agree, whichever is first', async () => {
    const engines = [world.engine(), world.engine()];
    for (let round = 0; round < 10; round += 1) {
      const call = world.call();
      const before = world.chain.effects;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          engines[i % 2]!.run(world.kind, { ...call, cancelIfNotStarted: i % 3 === round % 3 }),
        ),
      );
      const [state, ...others] = new Set(answers.map((record) => record.state));
      expect(others).toEqual([]);
      expect(world.chain.effects - before).toBe(state === 'confirmed' ? 1 : 0);
    }
  });
});

describe('an operation that cannot be done', () => {
  it('ends failed, is published once, and returns the same error to every repeat', async () => {
    const engine = world.engine();
    const error = new AppError('INSUFFICIENT_FUNDS', {
      data: { missingLamports: '3' },
      details: [{ field: 'amount', reason: 'is more than there is', problem: 'out_of_range' }],
    });
    world.preparations.push({ kind: 'impossible', plan: { amount: '7' }, error });
    const call = world.call();
    for (const record of [await engine.run(world.kind, call), await engine.run(world.kind, call)]) {
      expect(record.state).toBe('failed');
      expect(record.error).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: error.data, details: error.details });
    }
    const events = await world.events(call.id);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ status: OperationStatus.OPERATION_STATUS_FAILED, amount: 7n, revision: 1 });
    expect(JSON.parse(events[0]!.facts!.errorJson)).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { missingLamports: '3' },
    });
    expect(world.policy.authorized).toBe(0);
    expect(await world.openRows()).toBe(0);
  });

  it('publishes only the public form of a failure inside, and keeps the whole of it in the row', async () => {
    const engine = world.engine();
    const data = { outcome: 'secret', suggestion: 'secret', retryAfterSeconds: 7 };
    const error = new AppError('UPSTREAM_ERROR', { message: 'node 10.0.0.7: secret', data });
    world.preparations.push({ kind: 'impossible', plan: { amount: '7' }, error });
    const call = world.call();
    expect((await engine.run(world.kind, call)).error).toMatchObject({ message: 'node 10.0.0.7: secret', data });
    const [event] = await world.events(call.id);
    expect(event!.facts!.errorJson).not.toContain('secret');
    expect(JSON.parse(event!.facts!.errorJson)).toMatchObject({
      ...{ code: 'UPSTREAM_ERROR', message: errorEntry('UPSTREAM_ERROR').message },
      ...{ requestId: expect.any(String), details: [], data: { retryAfterSeconds: 7 } },
    });
  });

  it('and that a switch of the policy forbids anyway, is refused for that', async () => {
    const engine = world.engine();
    const plan = { amount: '7' };
    const error = new AppError('INSUFFICIENT_FUNDS');
    world.preparations.push({ kind: 'impossible', plan, error }, { kind: 'impossible', plan, error });
    world.policy.stop = new AppError('POLICY_VIOLATION', { data: { rule: 'trading_disabled' } });
    const call = world.call();
    for (const record of [await engine.run(world.kind, call), await engine.run(world.kind, call)]) {
      expect(record).toMatchObject({ state: 'rejected', error: { data: { rule: 'trading_disabled' } } });
    }
    expect((await world.events(call.id)).map(({ status }) => status)).toEqual([
      OperationStatus.OPERATION_STATUS_REJECTED_BY_POLICY,
    ]);
    // An answer of policy that says nothing leaves the first refusal as it is.
    world.policy.stop = new AppError('SERVICE_UNAVAILABLE');
    expect((await engine.run(world.kind, world.call())).error).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
  });

  it('and can be done, is decided by policy alone', async () => {
    const engine = world.engine();
    world.policy.stop = new AppError('POLICY_VIOLATION', { data: { rule: 'trading_disabled' } });
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
  });

  it('is not published when its request was never valid, and is never done later', async () => {
    const engine = world.engine();
    world.preparations.push({ kind: 'invalid', error: unknownToken('mint', 'X') });
    const call = world.call();
    expect((await engine.run(world.kind, call)).error).toMatchObject({ code: 'UNKNOWN_TOKEN' });
    expect((await engine.run(world.kind, call)).error).toMatchObject({ code: 'UNKNOWN_TOKEN' });
    expect(await world.events(call.id)).toEqual([]);
    expect(world.built).toBe(0);
  });

  it('is given a few chances when upstream errs, and fails for good after that', async () => {
    const engine = world.engine();
    const broken = new AppError('UPSTREAM_ERROR');
    world.preparations.push(broken, broken);
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
    world.preparations.push(broken, broken, broken);
    const call = world.call();
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'failed', error: { code: 'UPSTREAM_ERROR' } });
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'failed', error: { code: 'UPSTREAM_ERROR' } });
    expect(world.chain.effects).toBe(1);
  });
});
