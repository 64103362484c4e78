import { policyV1 } from '@agent-wallet/contracts';
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
import { authorization, transferIntent } from './service.js';

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;

/** A finalized head is kept for a second. */
const KEPT_HEAD_IS_OVER_MS = 1_100;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

describe('a message whose signature is never reported', () => {
  it('may still land up to the bound, and is open until that is finalized', async () => {
    const { unsigned } = await permitted(policy);
    expect(await settle(policy, unsigned)).toBe(OUTCOME_OPEN);
    policy.world.advance(LIFE_BLOCKS + FINALITY_BLOCKS);
    expect(await settle(policy, unsigned)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.advance(1);
    expect(await settle(policy, unsigned)).toBe(OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('is dead once it is not among what its wallet landed', async () => {
    const { own, unsigned } = await permitted(policy);
    const other = authorization(policy.agentId, transferIntent(own.address)).message;
    policy.world.land(other, own.sign(other));
    passBound(policy.world);
    await eventually(async () => (await settle(policy, unsigned)) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('is settled if it did land', async () => {
    const { message, signature, unsigned } = await permitted(policy);
    policy.world.land(message, signature);
    passBound(policy.world);
    await eventually(async () => (await settle(policy, unsigned)) === OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
  });

  it('counts from the time of its block', async () => {
    const { message, signature, unsigned } = await permitted(policy);
    await policy.database.rows(
      `update reservations set created_at = created_at - interval '1 hour' where operation_id = $1`,
      unsigned.operationId,
    );
    policy.world.land(message, signature, { blockTime: Math.floor(Date.now() / 1_000) - 600 });
    passBound(policy.world);
    await eventually(async () => (await settle(policy, unsigned)) === OUTCOME_SETTLED);
    const [row] = await policy.database.rows<{ age: number }>(
      'select extract(epoch from policy.now() - settled_at)::float as age from reservations where operation_id = $1',
      unsigned.operationId,
    );
    // Two minutes of it are room for a chain whose clock is slow.
    expect(Math.abs(row!.age - 480)).toBeLessThan(60);
  });

  it('is failed when it landed with an error', async () => {
    const { message, signature, unsigned } = await permitted(policy);
    policy.world.land(message, signature, { failed: true });
    passBound(policy.world);
    await eventually(async () => (await settle(policy, unsigned)) === OUTCOME_FAILED);
    expect(await policy.usage()).toEqual(NOTHING);
  });
});

describe('an attempt that its owner has left', () => {
  /** Makes policy look now: no test waits for two minutes. */
  const due = () => policy.database.rows(`update reservations set next_check_at = '-infinity' where state = 'open'`);

  it('is settled by policy itself once it was shown', async () => {
    const { message, signature, shown } = await permitted(policy);
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    policy.world.land(message, signature);
    await due();
    await eventually(async () => (await policy.usage()).used === 1_000_000n);
    expect(await policy.usage()).toEqual(SPENT);
  });

  it('is released by policy itself though it was never shown', async () => {
    const { shown } = await permitted(policy);
    passBound(policy.world);
    await due();
    await eventually(async () => (await policy.usage()).reserved === 0n);
    expect(await policy.usage()).toEqual(NOTHING);
    expect(await settle(policy, shown)).toBe(OUTCOME_EXPIRED);
  });

  it('is looked at within seconds of a report that was open, and after minutes otherwise', async () => {
    const { shown } = await permitted(policy);
    expect(await dueIn(shown)).toBeGreaterThan(60);
    await settle(policy, shown);
    expect(await dueIn(shown)).toBeLessThanOrEqual(10);
  });

  it.each(['shown', 'unsigned'] as const)('is looked at when its death may be proven, %s', async (as) => {
    const { shown, ...others } = await permitted(policy);
    await settle(policy, { shown, ...others }[as]);
    policy.world.advance(LIFE_BLOCKS + FINALITY_BLOCKS - 5);
    policy.service.passTime(KEPT_HEAD_IS_OVER_MS);
    await due();
    // Six blocks, instead of the ten seconds that usually pass between two polls, and while one is under way.
    await eventually(
      () => dueIn(shown),
      (seconds) => seconds > 0 && seconds <= 2.4,
    );
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.advance(6);
    policy.service.passTime(KEPT_HEAD_IS_OVER_MS);
    await eventually(async () => (await policy.usage()).reserved === 0n);
  });

  it('that failed is looked at when that is final', async () => {
    const { message, signature, shown } = await permitted(policy);
    const slot = policy.world.finalizedHeight + 1_000 + 5;
    policy.world.land(message, signature, { commitment: 'confirmed', failed: true, slot });
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await dueIn(shown)).toBeLessThanOrEqual(2);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.land(message, signature, { failed: true, slot });
    await eventually(async () => (await policy.usage()).reserved === 0n);
  });

  async function dueIn({ operationId }: { readonly operationId: string }): Promise<number> {
    const [row] = await policy.database.rows<{ seconds: number }>(
      'select extract(epoch from next_check_at - policy.now())::float as seconds from reservations where operation_id = $1',
      operationId,
    );
    return row!.seconds;
  }
});
