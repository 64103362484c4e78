import { eventually } from '@agent-wallet/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { auditV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { splitTransaction, verifySignature } from '@agent-wallet/solana';
import { LIFE } from './fake-chain.js';
import { World } from './world.js';

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(() => world.close());

const { OperationStatus } = auditV1;

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
    expect(JSON.parse(events[1]!.facts!.errorJson)).toMatchObject({ data: { rule: 'daily_limit' } });
    expect(world.signer.signed.size).toBe(0);
    await eventually(async () => (await world.openRows()) === 0);
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
    ['INVALID_ADDRESS', { problem: 'off_curve' }],
  ] as const)('%s fails the operation with that error, which is published', async (code, data) => {
    const engine = world.engine();
    // The first answer is lost, so there is a reservation; by the second, things are different.
    world.policy.moods.push('lose the answer', AppError.received(code, { message: 'Send SOL.', data }));
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
    expect(JSON.parse(events[1]!.facts!.errorJson)).toMatchObject({ code, data });
    expect([world.policy.open, world.signer.signed.size]).toEqual([1, 0]);
    world.chain.height += LIFE + 1;
    await eventually(async () => (await world.openRows()) === 0);
    expect(world.policy.open).toBe(0);
  });

  it('a refusal at the first asking leaves nothing to settle', async () => {
    const engine = world.engine();
    world.policy.moods.push(new AppError('INSUFFICIENT_FUNDS'));
    expect(await engine.run(world.kind, world.call())).toMatchObject({ state: 'failed' });
    await eventually(async () => (await world.openRows()) === 0);
  });

  it('a conflict is an internal error: nothing is signed', async () => {
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
    await eventually(() => world.policy.open === 1);
    world.chain.height += LIFE + 1;
    await eventually(() => world.policy.open === 0);
    expect(world.chain.effects).toBe(1);
  });

  it('two signatures stand in the order of the message, and the first names the transaction', async () => {
    const record = await world.engine().run(world.kind, world.call({ isSponsored: true }));
    expect(record).toMatchObject({ state: 'confirmed', attempt: { networkFeeLamports: 10_000n } });
    const { signatures, message } = splitTransaction(world.chain.sent[0]!);
    const signers = [world.signer.sponsor, world.signer.wallet];
    expect(signatures.map((signature, i) => verifySignature(message, signature, signers[i]!))).toEqual([true, true]);
    expect(Buffer.from(record.attempt!.signature!)).toEqual(Buffer.from(signatures[0]!));
    await eventually(() => world.policy.open === 0);
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
    await eventually(() => world.policy.authorized > 2);
    expect(world.chain.sent).toHaveLength(0);
    world.signer.lie = undefined;
    expect((await run).state).toBe('confirmed');
    expect(world.chain.effects).toBe(1);
  });

  it('a signature that is none is never sent', async () => {
    const engine = world.engine();
    world.signer.lie = () => ({ signature: Buffer.alloc(64, 1) });
    const run = engine.run(world.kind, world.call());
    await eventually(() => world.policy.authorized > 2);
    expect(world.chain.sent).toHaveLength(0);
    world.signer.lie = undefined;
    expect((await run).state).toBe('confirmed');
  });
});
