import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { auditV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { signatureText, splitTransaction, verifySignature } from '@agent-wallet/solana';
import { LIFE } from './fake-chain.js';
import { until, World } from './world.js';

let world: World;

jest.setTimeout(30_000);

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
    expect(JSON.parse(events[2]!.metadataJson)).toEqual({ amountRaw: '7', arrived, networkFeeLamports: '5000' });
    expect(events[0]!.signature).toBe('');
    expect(events[1]!.signature).toBe(events[2]!.signature);
    await until(() => world.policy.open === 0);
    expect(await world.openRows()).toBe(1); // it is not finalized yet
    world.chain.finalize();
    await until(async () => (await world.openRows()) === 0);
    expect(await world.events(call.id)).toHaveLength(3);
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
    await until(() => world.chain.sent.length > 3);
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
  it('makes certain that what has not begun never does, and history is told once', async () => {
    const engine = world.engine();
    const call = world.call();
    for (const onlyIfBegun of [true, true, false]) {
      const record = await engine.run(world.kind, { ...call, onlyIfBegun });
      expect(record).toMatchObject({ state: 'expired', error: { code: 'TRANSACTION_EXPIRED' } });
    }
    expect([world.built, world.chain.effects, await world.openRows()]).toEqual([0, 0, 0]);
    const events = await world.events(call.id);
    expect(events.map(({ status, revision }) => [revision, status])).toEqual([
      [1, OperationStatus.OPERATION_STATUS_EXPIRED],
    ]);
  });

  it('is told the outcome of what has begun', async () => {
    const engine = world.engine();
    const call = world.call();
    await engine.run(world.kind, call);
    expect(await engine.run(world.kind, { ...call, onlyIfBegun: true })).toMatchObject({ state: 'confirmed' });
    expect(world.chain.effects).toBe(1);
  });

  it('and one that starts it at the same instant agree, whoever is first', async () => {
    const engines = [world.engine(), world.engine()];
    for (let round = 0; round < 10; round += 1) {
      const call = world.call();
      const before = world.chain.effects;
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          engines[i % 2]!.run(world.kind, { ...call, onlyIfBegun: i % 3 === round % 3 }),
        ),
      );
      const [state, ...others] = new Set(answers.map((record) => record.state));
      expect(others).toEqual([]);
      expect(world.chain.effects - before).toBe(state === 'confirmed' ? 1 : 0);
    }
  });
});

describe('an operation that cannot be done', () => {
  it('ends failed, is told to history once, and answers every repeat the same error', async () => {
    const engine = world.engine();
    const error = new AppError('INSUFFICIENT_FUNDS', {
      data: { missingLamports: '3' },
      details: [{ field: 'amount', reason: 'is more than there is' }],
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
    expect(JSON.parse(events[0]!.metadataJson).error).toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      missingLamports: '3',
    });
    expect(world.policy.authorized).toBe(0);
    expect(await world.openRows()).toBe(0);
  });

  it('is not told to history when it was never a sensible request, and is never done later', async () => {
    const engine = world.engine();
    world.preparations.push({ kind: 'invalid', error: AppError.field('mint', 'is not known', 'UNKNOWN_TOKEN') });
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

describe('what policy says', () => {
  it('a refusal ends the operation as rejected, once, with what explains it', async () => {
    const engine = world.engine();
    world.policy.moods.push(new AppError('POLICY_VIOLATION', { data: { rule: 'daily_limit' } }));
    const call = world.call();
    const record = await engine.run(world.kind, call);
    expect(record).toMatchObject({
      state: 'rejected',
      error: { code: 'POLICY_VIOLATION', data: { rule: 'daily_limit' } },
    });
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'rejected' });
    const events = await world.events(call.id);
    expect(events.map(({ status }) => status)).toEqual([
      OperationStatus.OPERATION_STATUS_PENDING,
      OperationStatus.OPERATION_STATUS_REJECTED_BY_POLICY,
    ]);
    expect(JSON.parse(events[1]!.metadataJson).error).toMatchObject({ rule: 'daily_limit' });
    expect(world.signer.signed.size).toBe(0);
    await until(async () => (await world.openRows()) === 0);
  });

  it.each([
    ['no answer', 'fail' as const],
    ['an answer that is lost', 'lose the answer' as const],
    ['an error that may pass', new AppError('SERVICE_UNAVAILABLE')],
  ])('%s says nothing: the same message is asked for again', async (_, mood) => {
    const engine = world.engine();
    world.policy.moods.push(mood, mood);
    const record = await engine.run(world.kind, world.call());
    expect(record.state).toBe('confirmed');
    expect(world.policy.authorized).toBe(3);
    expect(world.built).toBe(1);
    expect(world.policy.reservations.size).toBe(1);
  });

  it.each([
    ['INSUFFICIENT_FUNDS', { missingLamports: '5000' }],
    ['INVALID_ADDRESS', {}],
  ] as const)('%s fails the operation with that error, which history is told', async (code, data) => {
    const engine = world.engine();
    // The first answer is lost, so there is a reservation; by the second, things are different.
    world.policy.moods.push('lose the answer', new AppError(code, { message: 'Send SOL.', data }));
    const call = world.call();
    for (let times = 0; times < 2; times += 1) {
      const record = await engine.run(world.kind, call);
      expect(record).toMatchObject({ state: 'failed', error: { code, message: 'Send SOL.', data } });
      expect(record.attempt).toMatchObject({ state: 'abandoned', signature: undefined });
    }
    const events = await world.events(call.id);
    expect(events.map(({ status }) => status)).toEqual([
      OperationStatus.OPERATION_STATUS_PENDING,
      OperationStatus.OPERATION_STATUS_FAILED,
    ]);
    expect(JSON.parse(events[1]!.metadataJson).error).toMatchObject({ code, ...data });
    expect([world.policy.open, world.signer.signed.size]).toEqual([1, 0]);
    world.chain.height += LIFE + 1;
    await until(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
  });

  it('a refusal at the first asking leaves nothing to settle', async () => {
    const engine = world.engine();
    world.policy.moods.push(new AppError('INSUFFICIENT_FUNDS'));
    expect(await engine.run(world.kind, world.call())).toMatchObject({ state: 'failed' });
    await until(async () => (await world.openRows()) === 0);
  });

  it('a conflict is a fault of ours: nothing is signed', async () => {
    const engine = world.engine();
    world.policy.moods.push(new AppError('PERMIT_CONFLICT'));
    const call = world.call();
    expect(await engine.run(world.kind, call)).toMatchObject({ state: 'failed', error: { code: 'INTERNAL_ERROR' } });
    expect(world.chain.sent).toHaveLength(0);
  });
});

describe('what the signer says', () => {
  it.each([
    ['no answer', 'fail' as const],
    ['an answer that is lost', 'lose the answer' as const],
    ['an error that may pass', new AppError('SERVICE_UNAVAILABLE')],
  ])('%s says nothing: the same message is signed again', async (_, mood) => {
    const engine = world.engine();
    world.signer.moods.push(mood);
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
    expect(world.signer.signed.size).toBe(1);
  });

  it('one refusal may be a permit that was too old; two fail the operation, and what is reserved is released', async () => {
    const engine = world.engine();
    const refusal = new AppError('SIGNING_REFUSED');
    world.signer.moods.push(refusal);
    expect((await engine.run(world.kind, world.call())).state).toBe('confirmed');
    world.signer.moods.push(refusal, refusal);
    const record = await engine.run(world.kind, world.call());
    expect(record).toMatchObject({ state: 'failed', error: { code: 'INTERNAL_ERROR' } });
    await until(() => world.policy.open === 1);
    world.chain.height += LIFE + 1;
    await until(() => world.policy.open === 0);
    expect(world.chain.effects).toBe(1);
  });

  it('two signatures stand in the order of the message, and the first names the transaction', async () => {
    const record = await world.engine().run(world.kind, world.call({ isSponsored: true }));
    expect(record).toMatchObject({ state: 'confirmed', attempt: { networkFeeLamports: 10_000n } });
    const { signatures, message } = splitTransaction(world.chain.sent[0]!);
    const signers = [world.signer.sponsor, world.signer.wallet];
    expect(signatures.map((signature, i) => verifySignature(message, signature, signers[i]!))).toEqual([true, true]);
    expect(Buffer.from(record.attempt!.signature!)).toEqual(Buffer.from(signatures[0]!));
    await until(() => world.policy.open === 0);
  });

  it.each<[string, NonNullable<typeof world.signer.lie>]>([
    ['only one of two', ({ signature }) => ({ signature })],
    ['one twice', ({ signature }) => ({ signature, sponsorSignature: signature })],
    [
      'both swapped',
      ({ signature, sponsorSignature }) => ({ signature: sponsorSignature!, sponsorSignature: signature }),
    ],
    ['a bad one', ({ signature }) => ({ signature, sponsorSignature: Buffer.alloc(64, 1) })],
  ])('%s is never sent', async (_, lie) => {
    const engine = world.engine();
    world.signer.lie = lie;
    const run = engine.run(world.kind, world.call({ isSponsored: true }));
    await until(() => world.policy.authorized > 2);
    expect(world.chain.sent).toHaveLength(0);
    world.signer.lie = undefined;
    expect((await run).state).toBe('confirmed');
    expect(world.chain.effects).toBe(1);
  });

  it('a signature that is none is never sent', async () => {
    const engine = world.engine();
    world.signer.isLying = true;
    const run = engine.run(world.kind, world.call());
    await until(() => world.policy.authorized > 2);
    expect(world.chain.sent).toHaveLength(0);
    world.signer.isLying = false;
    expect((await run).state).toBe('confirmed');
  });
});
