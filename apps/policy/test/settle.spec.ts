import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  FINALITY_BLOCKS,
  LIFE_BLOCKS,
  NOTHING,
  passBound,
  permitted,
  RESERVED,
  settle,
  SPENT,
} from './permitted-transfer.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, newWallet, transferIntent } from './service.js';

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;
/** A finalized head is kept for a second: what is still open after that is open for another reason. */
const KEPT_HEAD_IS_OVER_MS = 1_100;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(async () => {
  policy.world.statusSlot = undefined;
  await policy.newAgent();
});

describe('a transaction that landed', () => {
  it.each(['confirmed', 'finalized'] as const)('is settled once %s', async (commitment) => {
    const { message, signature, shown } = await permitted(policy);
    policy.world.land(message, signature, { commitment });
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
    expect((await policy.gateway.getUsage({ agentId: policy.agentId })).resetsAtMs).toBeGreaterThan(BigInt(Date.now()));
  });

  it('counts from the time of its block when that is found late', async () => {
    const { message, signature, shown } = await permitted(policy);
    await permittedAgo('2 hours', shown.operationId);
    // 400 seconds of slots, of which two minutes are room for a chain whose clock is slow.
    policy.world.land(message, signature, { slot: policy.world.height });
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
    const age = await settledSecondsAgo(shown.operationId);
    expect(age).toBeGreaterThan(275);
    expect(age).toBeLessThan(340);
  });

  it.each([
    ['from its permit', 'a block of before', 0, 100],
    ['from now', 'a block that is yet to come', 2_000, 0],
  ])('counts %s where the node tells the time of %s', async (_, __, slots, seconds) => {
    const { message, signature, shown } = await permitted(policy);
    await permittedAgo('100 seconds', shown.operationId);
    policy.world.land(message, signature, { slot: policy.world.height + slots });
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(Math.abs((await settledSecondsAgo(shown.operationId)) - seconds)).toBeLessThan(60);
  });

  it.each([
    ['milliseconds', 1_000],
    ['microseconds', 1_000_000],
  ])('counts from now where the node reports the block time in %s, and holds up no other', async (_, factor) => {
    const [absurd, sane] = [await permitted(policy), await permitted(policy)];
    for (const { shown } of [absurd, sane]) await permittedAgo('2 hours', shown.operationId);
    const slot = policy.world.height + 1;
    policy.world.blockTimes.set(slot, Math.floor(Date.now() / 1_000) * factor);
    policy.world.land(absurd.message, absurd.signature, { slot });
    policy.world.land(sane.message, sane.signature, { slot: policy.world.height });
    const outcomes = await Promise.all([absurd, sane].map(({ shown }) => settle(policy, shown)));
    expect(outcomes).toEqual([OUTCOME_SETTLED, OUTCOME_SETTLED]);
    expect(await settledSecondsAgo(absurd.shown.operationId)).toBeLessThan(60);
    expect(await settledSecondsAgo(sane.shown.operationId)).toBeGreaterThan(200);
    expect(await policy.usage()).toEqual({ used: 2_000_000n, reserved: 0n });
  });

  it('is open while only processed', async () => {
    const { message, signature, shown } = await permitted(policy);
    policy.world.land(message, signature, { commitment: 'processed' });
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
  });

  it('is counted once however often and by however many it is settled', async () => {
    const { message, signature, shown } = await permitted(policy);
    policy.world.land(message, signature);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => settle(policy, shown)));
    expect(new Set(outcomes)).toEqual(new Set([OUTCOME_SETTLED]));
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
  });

  it('stays counted when it is rolled back after all', async () => {
    const { message, signature, shown } = await permitted(policy);
    policy.world.land(message, signature, { commitment: 'confirmed' });
    await settle(policy, shown);
    policy.world.statuses.clear();
    passBound(policy.world);
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
  });

  it('with an error is released only when that is final', async () => {
    const { message, signature, shown } = await permitted(policy);
    policy.world.land(message, signature, { commitment: 'confirmed', failed: true });
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.land(message, signature, { failed: true });
    expect(await settle(policy, shown)).toBe(OUTCOME_FAILED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('gives no further permit', async () => {
    const { request, message, signature, shown } = await permitted(policy);
    policy.world.land(message, signature);
    await settle(policy, shown);
    await expect(policy.wallet.authorize(request)).rejects.toMatchObject({
      code: 'PERMIT_CONFLICT',
      data: { reason: 'attempt_is_over' },
    });
  });
});

async function permittedAgo(age: string, operationId: string): Promise<void> {
  await policy.database.rows(
    'update reservations set created_at = created_at - $2::interval where operation_id = $1',
    operationId,
    age,
  );
}

async function settledSecondsAgo(operationId: string): Promise<number> {
  const [row] = await policy.database.rows<{ age: number }>(
    'select extract(epoch from policy.now() - settled_at)::float as age from reservations where operation_id = $1',
    operationId,
  );
  return row!.age;
}

describe('a caller that lies about the outcome', () => {
  it('cannot show a signature that is not genuine', async () => {
    const { message, signature, shown } = await permitted(policy);
    policy.world.land(message, signature, { failed: true });
    const forged = [Buffer.alloc(64, 7), newWallet().sign(message), Buffer.alloc(63), Buffer.alloc(1)];
    for (const each of forged) {
      await expect(settle(policy, { ...shown, signature: each })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'signature' }],
      });
    }
    expect(await policy.usage()).toEqual(RESERVED);
  });

  it('cannot show another message, though it failed genuinely', async () => {
    const { own, shown } = await permitted(policy);
    const other = authorization(policy.agentId, transferIntent(own.address)).message;
    const signature = own.sign(other);
    policy.world.land(other, signature, { failed: true });
    for (const message of [other, Buffer.alloc(0), Buffer.from('junk')]) {
      await expect(settle(policy, { ...shown, message, signature })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'message' }],
      });
    }
    await expect(settle(policy, { ...shown, message: other, signature: Buffer.alloc(0) })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await policy.usage()).toEqual(RESERVED);
  });

  it('cannot settle what was never permitted', async () => {
    const { shown } = await permitted(policy);
    await expect(settle(policy, { ...shown, operationId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(settle(policy, { ...shown, attempt: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('cannot have a living transaction declared expired', async () => {
    const { shown, unsigned } = await permitted(policy);
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await settle(policy, unsigned)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
  });
});

describe('death', () => {
  it('needs a finalized height beyond the bound, not one block less', async () => {
    const { shown } = await permitted(policy);
    policy.world.advance(LIFE_BLOCKS + FINALITY_BLOCKS);
    policy.service.passTime(KEPT_HEAD_IS_OVER_MS);
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    policy.world.advance(1);
    await eventually(async () => (await settle(policy, shown)) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('is not proven by a node that lags behind that height', async () => {
    const { shown } = await permitted(policy);
    passBound(policy.world);
    policy.world.statusSlot = policy.world.finalizedHeight + 1_000 - 1;
    policy.service.passTime(KEPT_HEAD_IS_OVER_MS);
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.statusSlot += 1;
    expect(await settle(policy, shown)).toBe(OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('is not proven by a head that only claims confirmed blocks', async () => {
    const { shown } = await permitted(policy);
    policy.world.height += 10_000;
    policy.service.passTime(KEPT_HEAD_IS_OVER_MS);
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    policy.world.height -= 10_000;
    expect(await policy.usage()).toEqual(RESERVED);
  });

  it('is not proven while the node is away, and what was shown is kept', async () => {
    const { shown } = await permitted(policy);
    policy.world.nodeIsAway = true;
    const error = await settle(policy, shown).catch((e: unknown) => e);
    policy.world.nodeIsAway = false;
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR' });
    expect(await policy.usage()).toEqual(RESERVED);
    const [row] = await policy.database.rows(
      'select signature from reservations where operation_id = $1',
      shown.operationId,
    );
    expect(row!['signature']).toEqual(shown.signature);
  });

  it('opens the way for another attempt', async () => {
    const { request, shown } = await permitted(policy);
    const again = {
      ...authorization(policy.agentId, request.intent!).request,
      operationId: request.operationId,
      attempt: 2,
    };
    await expect(policy.wallet.authorize(again)).rejects.toMatchObject({ data: { reason: 'prior_attempt_may_land' } });
    passBound(policy.world);
    await eventually(async () => (await settle(policy, shown)) === OUTCOME_EXPIRED);
    expect((await policy.wallet.authorize(again)).reservedUsdMicros).toBe(1_000_000n);
    expect(await policy.usage()).toEqual(RESERVED);
  });
});
