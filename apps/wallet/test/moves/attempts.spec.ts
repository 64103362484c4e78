import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { auditV1, policyV1 } from '@agent-wallet/contracts';
import { AppError, newId } from '@agent-wallet/kernel';
import { signatureText } from '@agent-wallet/solana';
import { type Copy, MoveWorld, outcomeOf } from './world.js';

const { OUTCOME_EXPIRED, OUTCOME_SETTLED } = policyV1.Outcome;
const RENT = 2_039_280n;
const FEE = 5_000n;

let world: MoveWorld;
let copy: Copy;

beforeAll(async () => {
  world = await MoveWorld.open();
});
beforeEach(() => {
  copy = world.copy();
});
afterEach(async () => {
  world.policy.refusal = undefined;
  world.policy.isUnsure = false;
  await world.sandbox.disarm();
  await world.stopCopies();
});
afterAll(() => world?.close());

describe('an attempt', () => {
  it('happens once, however often and wherever it is called, and is quiet in history', async () => {
    const agent = await world.agent({});
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'payout', amount: 10n });
    const copies = [copy, world.copy(), world.copy()];
    const answers = await Promise.all(copies.map(({ move }) => move.execute(call)));
    answers.push(await copies[1]!.move.execute(call));
    expect(new Set(answers.map(({ signature }) => signatureText(signature!))).size).toBe(1);
    expect(await world.treasurySince(before)).toEqual([-10n, -FEE - RENT]);
    const other = { ...call, request: { ...call.request, amount: 11n } };
    await expect(copy.move.execute(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    const { rows } = await world.database.pool.query<{ payload: Buffer }>('select payload from outbox');
    expect(rows.map(({ payload }) => auditV1.AuditEvent.decode(payload).agentId)).not.toContain(agent.agentId);
  });

  it('is settled in the name of the operation that it is a step of', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    const operationId = newId();
    await copy.move.execute(world.call(agent, { operationId, direction: 'escrow', amount: 10n }));
    await copy.move.execute(world.call(agent, { operationId, direction: 'payout', amount: 4n, step: 3 }));
    await eventually(
      async () => [world.policy.attempts(operationId, 1), world.policy.attempts(operationId, 3)],
      (steps) => steps.every((step) => step.length === 1 && step[0]![1] === OUTCOME_SETTLED),
    );
  });

  it('after another one waits for proof that that one never lands: one of them moves the money', async () => {
    const agent = await world.agent({});
    const before = await world.holds(world.treasury);
    const first = world.call(agent, { direction: 'payout', amount: 10n });
    await world.drop(agent.address);
    expect((await copy.move.execute({ ...first, waitMs: 300 })).isConfirmed).toBe(false);
    const second = world.next(first);
    // It may still land: nothing begins.
    expect(await copy.move.execute({ ...second, waitMs: 300 })).toMatchObject({
      isConfirmed: false,
      signature: undefined,
    });
    expect(await world.record(second)).toBeUndefined();
    expect(await outcomeOf(copy.move.execute(first))).toBe('TRANSACTION_EXPIRED expired');
    await world.sandbox.disarm();
    expect(await outcomeOf(copy.move.execute(second))).toBe('confirmed');
    expect(await world.treasurySince(before)).toEqual([-10n, -FEE - RENT]);
    expect(world.policy.attempts(first.request.operationId, 1)).toMatchObject([
      [1, OUTCOME_EXPIRED],
      [2, expect.anything()],
    ]);
  });

  it('waits for policy to know it, too', async () => {
    const agent = await world.agent({});
    const first = world.call(agent, { direction: 'payout', amount: 10n });
    await world.drop(agent.address);
    world.policy.isUnsure = true;
    expect(await outcomeOf(copy.move.execute(first))).toBe('TRANSACTION_EXPIRED expired');
    await world.sandbox.disarm();
    const second = world.next(first);
    expect((await copy.move.execute({ ...second, waitMs: 500 })).isConfirmed).toBe(false);
    world.policy.isUnsure = false;
    expect(await outcomeOf(copy.move.execute(second))).toBe('confirmed');
  });

  it('that was never permitted does not count for policy', async () => {
    const agent = await world.agent({});
    const { request, ...call } = world.call(agent, { direction: 'payout', amount: 10n, step: 2 });
    const first = { ...call, request };
    expect(await outcomeOf(copy.move.execute({ ...first, cancelIfNotStarted: true }))).toBe(
      'TRANSACTION_EXPIRED expired',
    );
    expect(await outcomeOf(copy.move.execute(first))).toBe('TRANSACTION_EXPIRED expired');
    // Policy is away for as long as the message lives.
    world.policy.refusal = new AppError('SERVICE_UNAVAILABLE');
    const second = world.next(first);
    expect(await outcomeOf(copy.move.execute(second))).toBe('TRANSACTION_EXPIRED expired');
    world.policy.refusal = undefined;
    expect(await outcomeOf(copy.move.execute(world.next(second)))).toBe('confirmed');
    expect(world.policy.attempts(request.operationId, 2).map(([attempt]) => attempt)).toEqual([1]);
    expect(await world.sandbox.raw(agent.address, 'USDC')).toBe(10n);
  });

  it('of an agent without a wallet is over, too: otherwise its caller would repeat it for ever', async () => {
    const call = world.call({ agentId: newId(), address: '' }, { direction: 'escrow', amount: 10n });
    expect(await outcomeOf(copy.move.execute(call))).toBe('NOT_FOUND failed');
    const other = world.call({ agentId: newId(), address: '' }, { direction: 'escrow', amount: 10n });
    expect(await outcomeOf(copy.move.execute({ ...other, cancelIfNotStarted: true }))).toBe(
      'TRANSACTION_EXPIRED expired',
    );
  });

  it('needs one before it that has not landed', async () => {
    const agent = await world.agent({});
    const first = world.call(agent, { direction: 'payout', amount: 10n });
    const attempt = { code: 'VALIDATION_ERROR', details: [{ field: 'attempt' }] };
    await expect(copy.move.execute(world.next(first))).rejects.toMatchObject(attempt);
    await copy.move.execute(first);
    await expect(copy.move.execute(world.next(first))).rejects.toMatchObject(attempt);
    expect(await world.sandbox.raw(agent.address, 'USDC')).toBe(10n);
  });

  it.each([
    ['operationId', { operationId: 'x' }],
    ['step', { step: 0 }],
    ['step', { direction: 'escrow', step: 2 }],
    ['attempt', { attempt: 0 }],
    ['amount', { amount: 0n }],
    ['amount', { amount: 2n ** 64n }],
  ] as const)('is refused for its %s (%o)', async (field, over) => {
    const agent = await world.agent({});
    const call = world.call(agent, { direction: 'payout', amount: 10n, ...over });
    await expect(copy.move.execute(call)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it.each(['after-build', 'after-reservation', 'after-signing', 'after-persisting', 'after-broadcast'])(
    'of a process that dies %s is finished by another one, once',
    async (place) => {
      await copy.engine.stop();
      let isDead = false;
      const dying = world.copy({
        checkpoint: async (name) => {
          isDead ||= name === `move.${place}`;
          if (isDead) await new Promise<never>(() => {});
        },
      });
      const agent = await world.agent({});
      const before = await world.holds(world.treasury);
      const call = world.call(agent, { direction: 'payout', amount: 10n });
      void dying.move.execute(call).catch(() => {});
      await eventually(
        async () => isDead,
        (is) => is,
      );
      await dying.engine.stop();
      expect(await outcomeOf(world.copy().move.execute(call))).toBe('confirmed');
      expect(await world.treasurySince(before)).toEqual([-10n, -FEE - RENT]);
    },
  );
});
