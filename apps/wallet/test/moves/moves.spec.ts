import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { auditV1, policyV1 } from '@agent-wallet/contracts';
import { AppError, formatAmount, newId } from '@agent-wallet/kernel';
import { requiredSigners, signatureText } from '@agent-wallet/solana';
import { eventually } from '../deposits/world.js';
import { type Copy, MoveWorld } from './world.js';

jest.setTimeout(60_000);

const { OUTCOME_DEAD, OUTCOME_SETTLED } = policyV1.Outcome;
const RENT = 2_039_280n;
const FEE = 5_000n;

let world: MoveWorld;
let copy: Copy;

beforeAll(async () => {
  world = await MoveWorld.open();
}, 60_000);
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

const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'confirmed',
    (error: AppError) => `${error.code} ${error.data['outcome'] ?? ''}`.trim(),
  );

/** What the treasury gained, and what it paid, since. */
async function since(before: readonly [bigint, bigint]): Promise<readonly [bigint, bigint]> {
  const [usdc, lamports] = await world.holds(world.treasury);
  return [usdc - before[0], lamports - before[1]];
}

describe('an escrow', () => {
  it('brings USDC of the wallet to the treasury, and the wallet pays the network', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 20 });
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'escrow', amount: '7250001' });
    const { isConfirmed, signature, amount } = await copy.move.execute(call);
    expect([isConfirmed, amount]).toEqual([true, 7_250_001n]);
    expect(await since(before)).toEqual([7_250_001n, 0n]);
    expect(await world.holds(agent.address)).toEqual([12_749_999n, 100_000_000n - FEE]);
    const { attempt } = await world.record(call);
    expect(requiredSigners(attempt!.message)).toEqual([agent.address]);
    expect(attempt!.signature).toEqual(Buffer.from(signature!));
  });

  it('of an agent without SOL is paid for by the sponsor', async () => {
    const agent = await world.agent({ USDC: 5 });
    const [, before] = await world.holds(world.sponsor);
    const call = world.call(agent, { direction: 'escrow', amount: '5000000' });
    await copy.move.execute(call);
    expect(await world.holds(agent.address)).toEqual([0n, 0n]);
    expect((await world.holds(world.sponsor))[1]).toBe(before - 2n * FEE);
    expect(requiredSigners((await world.record(call)).attempt!.message)).toEqual([world.sponsor, agent.address]);
  });

  it('of more than the wallet holds fails, and nothing is signed', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    const signed = world.signer.signed.size;
    const call = world.call(agent, { direction: 'escrow', amount: '1000001' });
    await expect(copy.move.execute(call)).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
      data: { asset: 'USDC', missingRaw: '1', outcome: 'failed' },
    });
    expect(world.signer.signed.size).toBe(signed);
    await copy.move.execute(world.call(agent, { direction: 'escrow', amount: '1000000' }));
  });

  it('that policy refuses is rejected for good', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    world.policy.refusal = new AppError('POLICY_VIOLATION', { data: { rule: 'prediction_markets_disabled' } });
    const call = world.call(agent, { direction: 'escrow', amount: '1' });
    const refused = { code: 'POLICY_VIOLATION', data: { rule: 'prediction_markets_disabled', outcome: 'rejected' } };
    await expect(copy.move.execute(call)).rejects.toMatchObject(refused);
    world.policy.refusal = undefined;
    await expect(copy.move.execute(call)).rejects.toMatchObject(refused);
    expect(await world.holds(agent.address)).toEqual([1_000_000n, 100_000_000n]);
  });

  it('is refused by a service that has no treasury, or one that takes no USDC', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    for (const treasury of [undefined, world.signer.newKey()]) {
      const other = world.copy({ operator: { treasury } });
      const call = world.call(agent, { direction: 'escrow', amount: '1' });
      expect(await outcomeOf(other.move.execute(call))).toBe('SERVICE_UNAVAILABLE failed');
      await other.engine.stop();
    }
  });
});

describe('a payout', () => {
  it('brings USDC of the treasury to the wallet, signed and paid for by the treasury alone', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'payout', amount: '1130000', step: 3 });
    const { isConfirmed, signature } = await copy.move.execute(call);
    expect(isConfirmed).toBe(true);
    expect(await since(before)).toEqual([-1_130_000n, -FEE]);
    expect(await world.holds(agent.address)).toEqual([2_130_000n, 100_000_000n]);
    const { attempt } = await world.record(call);
    expect(requiredSigners(attempt!.message)).toEqual([world.treasury]);
    const landed = await world.chain.transaction(signatureText(signature!), 'confirmed');
    expect(landed).toMatchObject({ error: null, signatures: [signatureText(signature!)] });
  });

  it("makes the agent's account when it has none, and the treasury pays its rent", async () => {
    const agent = await world.agent({});
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'payout', amount: '1' });
    await copy.move.execute(call);
    expect(await world.holds(agent.address)).toEqual([1n, 0n]);
    expect(await since(before)).toEqual([-1n, -FEE - RENT]);
    await copy.move.execute(world.call(agent, { direction: 'payout', amount: '1' }));
    expect(await since(before)).toEqual([-2n, -2n * FEE - RENT]);
  });

  it('that the treasury cannot cover is refused before anything is signed', async () => {
    const agent = await world.agent({});
    const [usdc] = await world.holds(world.treasury);
    const signed = world.signer.signed.size;
    const call = world.call(agent, { direction: 'payout', amount: (usdc + 1n).toString() });
    expect(await outcomeOf(copy.move.execute(call))).toBe('SERVICE_UNAVAILABLE failed');
    await expect(copy.preview.execute(agent.agentId, call.request)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(world.signer.signed.size).toBe(signed);
    const { preview } = await copy.preview.execute(agent.agentId, { direction: 'payout', amount: usdc.toString() });
    expect(preview).toMatchObject({ networkFeeLamports: FEE, isSponsored: false, balanceChanges: [{ amount: usdc }] });
  });

  it('that the treasury lacks the lamports for is refused, too: to the lamport', async () => {
    const treasury = world.signer.newKey();
    await world.sandbox.faucet(treasury, 'USDC', 10);
    const poor = world.copy({ operator: { treasury } });
    const agent = await world.agent({});
    const minimum = await world.chain.rentExemptMinimumLamports(0);
    const enough = RENT + FEE + minimum;
    await world.sandbox.faucet(treasury, 'SOL', formatAmount(enough - 1n, 9));
    const call = world.call(agent, { direction: 'payout', amount: '1' });
    expect(await outcomeOf(poor.move.execute(call))).toBe('SERVICE_UNAVAILABLE failed');
    await world.sandbox.faucet(treasury, 'SOL', '0.000000001');
    expect(await outcomeOf(poor.move.execute(world.next(call)))).toBe('confirmed');
    expect(await world.sandbox.raw(agent.address, 'USDC')).toBe(1n);
    await poor.engine.stop();
  });
});

describe('a preview of a move', () => {
  it('says what an escrow would come to, and leaves nothing behind', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 20 });
    const { preview } = await copy.preview.execute(agent.agentId, { direction: 'escrow', amount: '20000000' });
    expect(preview).toMatchObject({ decision: { allowed: true }, networkFeeLamports: FEE, isSponsored: false });
    expect(preview.balanceChanges).toMatchObject([
      { symbol: 'USDC', amount: -20_000_000n },
      { symbol: 'SOL', amount: -FEE },
    ]);
    const more = copy.preview.execute(agent.agentId, { direction: 'escrow', amount: '20000001' });
    await expect(more).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    const { rowCount } = await world.database.pool.query('select from operations where agent_id = $1', [agent.agentId]);
    expect(rowCount).toBe(0);
  });

  it('tells that the sponsor would pay for an agent without SOL', async () => {
    const agent = await world.agent({ USDC: 20 });
    const { preview } = await copy.preview.execute(agent.agentId, { direction: 'escrow', amount: '1' });
    expect(preview).toMatchObject({
      isSponsored: true,
      networkFeeLamports: 2n * FEE,
      balanceChanges: [{ amount: -1n }],
    });
  });
});

describe('an attempt', () => {
  it('happens once, however often and wherever it is called, and is quiet in history', async () => {
    const agent = await world.agent({});
    const before = await world.holds(world.treasury);
    const call = world.call(agent, { direction: 'payout', amount: '10' });
    const copies = [copy, world.copy(), world.copy()];
    const answers = await Promise.all(copies.map(({ move }) => move.execute(call)));
    answers.push(await copies[1]!.move.execute(call));
    expect(new Set(answers.map(({ signature }) => signatureText(signature!))).size).toBe(1);
    expect(await since(before)).toEqual([-10n, -FEE - RENT]);
    const other = { ...call, request: { ...call.request, amount: '11' } };
    await expect(copy.move.execute(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    const { rows } = await world.database.pool.query<{ payload: Buffer }>('select payload from outbox');
    expect(rows.map(({ payload }) => auditV1.AuditEvent.decode(payload).agentId)).not.toContain(agent.agentId);
  });

  it('is settled in the name of the operation that it is a step of', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 1 });
    const operationId = newId();
    await copy.move.execute(world.call(agent, { operationId, direction: 'escrow', amount: '10' }));
    await copy.move.execute(world.call(agent, { operationId, direction: 'payout', amount: '4', step: 3 }));
    await eventually(
      async () => [world.policy.attempts(operationId, 1), world.policy.attempts(operationId, 3)],
      (steps) => steps.every((step) => step.length === 1 && step[0]![1] === OUTCOME_SETTLED),
    );
  });

  it('after another one waits for proof that that one never lands: one of them moves the money', async () => {
    const agent = await world.agent({});
    const before = await world.holds(world.treasury);
    const first = world.call(agent, { direction: 'payout', amount: '10' });
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
    expect(await since(before)).toEqual([-10n, -FEE - RENT]);
    expect(world.policy.attempts(first.request.operationId, 1)).toMatchObject([
      [1, OUTCOME_DEAD],
      [2, expect.anything()],
    ]);
  });

  it('waits for policy to know it, too', async () => {
    const agent = await world.agent({});
    const first = world.call(agent, { direction: 'payout', amount: '10' });
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
    const { request, ...call } = world.call(agent, { direction: 'payout', amount: '10', step: 2 });
    const first = { ...call, request };
    expect(await outcomeOf(copy.move.execute({ ...first, onlyIfBegun: true }))).toBe('TRANSACTION_EXPIRED expired');
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

  it('needs one before it that has not landed', async () => {
    const agent = await world.agent({});
    const first = world.call(agent, { direction: 'payout', amount: '10' });
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
    ['amount', { amount: '0' }],
    ['amount', { amount: (2n ** 64n).toString() }],
  ] as const)('is refused for its %s (%j)', async (field, over) => {
    const agent = await world.agent({});
    const call = world.call(agent, { direction: 'payout', amount: '10', ...over });
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
      const call = world.call(agent, { direction: 'payout', amount: '10' });
      void dying.move.execute(call).catch(() => {});
      await eventually(
        async () => isDead,
        (is) => is,
      );
      await dying.engine.stop();
      expect(await outcomeOf(world.copy().move.execute(call))).toBe('confirmed');
      expect(await since(before)).toEqual([-10n, -FEE - RENT]);
    },
  );
});

describe('the treasury', () => {
  it('is told as finalized blocks have it, and as confirmed ones do', async () => {
    const agent = await world.agent({ SOL: 0.1, USDC: 10 });
    const reading = world.readTreasury();
    const before = await eventually(
      () => reading.execute(),
      ({ finalizedAmount, confirmedAmount }) => finalizedAmount === confirmedAmount,
    );
    expect(before).toMatchObject({ address: world.treasury, confirmedAmount: (await world.holds(world.treasury))[0] });
    await copy.move.execute(world.call(agent, { direction: 'escrow', amount: '5' }));
    const at = await reading.execute();
    expect([at.confirmedAmount, at.finalizedAmount]).toEqual([before.confirmedAmount + 5n, before.finalizedAmount]);
    const final = await eventually(
      () => reading.execute(),
      ({ finalizedAmount }) => finalizedAmount === before.finalizedAmount + 5n,
    );
    expect(final.finalizedSlot).toBeGreaterThan(before.finalizedSlot);
    expect(final.lamports).toBe((await world.holds(world.treasury))[1]);
  });
});
