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

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
}, 60_000);
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

describe('a message that nobody shows the signature of', () => {
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

  it('is settled when it landed all the same', async () => {
    const { message, signature, unsigned } = await permitted(policy);
    policy.world.land(message, signature);
    passBound(policy.world);
    await eventually(async () => (await settle(policy, unsigned)) === OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
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
    const dueIn = async () => {
      const [row] = await policy.database.rows<{ seconds: number }>(
        'select extract(epoch from next_check_at - policy.now())::float as seconds from reservations where operation_id = $1',
        shown.operationId,
      );
      return row!.seconds;
    };
    expect(await dueIn()).toBeGreaterThan(60);
    await settle(policy, shown);
    expect(await dueIn()).toBeLessThanOrEqual(10);
  });
});
