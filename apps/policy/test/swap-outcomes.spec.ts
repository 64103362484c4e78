import { policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NOTHING, passBound, permittedSwap, RESERVED, settle, SPENT } from './permitted-transfer.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { newWallet } from './service.js';

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

describe('a swap', () => {
  it('that landed is settled at the value that was reserved', async () => {
    const { message, signature, shown } = await permittedSwap(policy);
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    policy.world.land(message, signature, { commitment: 'confirmed' });
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
  });

  it('whose price moved is released once its failure is final', async () => {
    const { message, signature, shown } = await permittedSwap(policy);
    policy.world.land(message, signature, { commitment: 'confirmed', failed: true });
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    policy.world.land(message, signature, { failed: true });
    expect(await settle(policy, shown)).toBe(OUTCOME_FAILED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('that never landed is released once that is proven', async () => {
    const { shown } = await permittedSwap(policy);
    passBound(policy.world);
    await eventually(async () => (await settle(policy, shown)) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });
});

describe('a swap that a maker signs, too', () => {
  const maker = newWallet();

  it("is settled at once by the maker's signature, when its owner has found it", async () => {
    const { message, signature, shown } = await permittedSwap(policy, maker);
    policy.world.land(message, signature, { commitment: 'confirmed' });
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
  });

  it("is not settled by the wallet's own signature, which names nothing", async () => {
    const { own, message, signature, shown } = await permittedSwap(policy, maker);
    policy.world.land(message, signature);
    await expect(settle(policy, { ...shown, signature: own.sign(message) })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'signature' }],
    });
    expect(await policy.usage()).toEqual(RESERVED);
  });

  it.each([
    ['landed', false, OUTCOME_SETTLED, SPENT],
    ['landed with an error', true, OUTCOME_FAILED, NOTHING],
  ])('is found among what the wallet has landed when no signature is known: it %s', async (_, failed, found, usage) => {
    const { message, signature, shown } = await permittedSwap(policy, maker);
    const unnamed = { ...shown, signature: Buffer.alloc(0) };
    expect(await settle(policy, unnamed)).toBe(OUTCOME_OPEN);
    policy.world.land(message, signature, { failed });
    passBound(policy.world);
    await eventually(async () => (await settle(policy, unnamed)) === found);
    expect(await policy.usage()).toEqual(usage);
  });

  it('is dead when it is not among them', async () => {
    const { shown } = await permittedSwap(policy, maker);
    passBound(policy.world);
    await eventually(async () => (await settle(policy, { ...shown, signature: Buffer.alloc(0) })) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
  });

  it('is settled though the signature that was shown never landed, when the maker has signed twice', async () => {
    const { message, shown } = await permittedSwap(policy, maker);
    policy.world.land(message, Buffer.alloc(64, 7));
    passBound(policy.world);
    await eventually(async () => (await settle(policy, shown)) === OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
  });
});
