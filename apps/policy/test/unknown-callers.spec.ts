import { policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { FINALITY_BLOCKS, NOTHING, passBound, permitted, settle } from './permitted-transfer.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, transferIntent } from './service.js';

const { OUTCOME_EXPIRED } = policyV1.Outcome;
/** More than one page. */
const MANY = 1_500;
/** So many heads are compared before a slot is believed. */
const BELIEVED_OF = 30;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

/** Lets strangers name the wallet in so many transactions, and finalizes them. */
function landOthers(wallet: string, count: number, isUnsupported = false): void {
  const { message } = authorization(policy.agentId, transferIntent(wallet));
  for (let n = 0; n < count; n += 1) policy.world.land(message, randomBytes(64), { isUnsupported });
  policy.world.advance(FINALITY_BLOCKS + 1);
}

async function noteHeads(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    policy.world.advance(1);
    await eventually(async () => {
      const { height } = policy.world;
      return (await policy.database.rows('select from chain_heads where height = $1', height)).length === 1;
    });
  }
}

const fetched = () => policy.world.calls.filter((method) => method === 'getTransaction').length;

describe('strangers cannot keep a reservation open', () => {
  it('with what they land before, nor because all heads of then are forgotten', async () => {
    const { own, unsigned } = await permitted(policy);
    landOthers(own.address, 1_010);
    passBound(policy.world);
    await policy.database.rows('delete from chain_heads');
    await noteHeads(1);
    passBound(policy.world);
    // It may take longer than a caller waits: policy looks by itself.
    await policy.database.rows(`update reservations set next_check_at = '-infinity' where state = 'open'`);
    await eventually(async () => (await policy.usage()).reserved === 0n);
    expect(await settle(policy, unsigned)).toBe(OUTCOME_EXPIRED);
  });

  it('with what they land before: one search serves all who ask for it at once', async () => {
    const { own, unsigned } = await permitted(policy);
    landOthers(own.address, 100);
    passBound(policy.world);
    const before = fetched();
    await eventually(async () => {
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => settle(policy, unsigned)));
      return outcomes.every((outcome) => outcome === OUTCOME_EXPIRED);
    });
    // Five searches read five hundred.
    expect(fetched() - before).toBeLessThan(300);
  });

  it('with what they land once its message can no longer land, however much: it is not even read', async () => {
    const { own, unsigned } = await permitted(policy);
    passBound(policy.world);
    await noteHeads(BELIEVED_OF);
    landOthers(own.address, MANY);
    const before = fetched();
    expect(await settle(policy, unsigned)).toBe(OUTCOME_EXPIRED);
    expect(fetched() - before).toBe(0);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('with transactions of an unsupported version', async () => {
    const { own, unsigned } = await permitted(policy);
    landOthers(own.address, 1, true);
    passBound(policy.world);
    await eventually(async () => (await settle(policy, unsigned)) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });
});
