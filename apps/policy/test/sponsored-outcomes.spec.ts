import { policyV1 } from '@agent-wallet/contracts';
import { messageFacts } from '@agent-wallet/solana';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NOTHING, passBound, permitted, RESERVED, settle, SPENT } from './permitted-transfer.js';
import { PolicyUnderTest } from './policy-under-test.js';
import { SPONSOR } from './service.js';

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_EXPIRED } = policyV1.Outcome;
const FEE = 10_000n;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const sponsoredTransfer = () => permitted(policy, { isSponsored: true });

/** What of the sponsor's counts for the agent now, and whether as open. */
async function sponsoredLamports(): Promise<{ spent: bigint; open: bigint }> {
  const [row] = await policy.database.rows<{ spent: string; open: string }>(
    `select coalesce(sum(sponsored_lamports) filter (where sponsored_at <= policy.now()), 0) as spent,
       coalesce(sum(sponsored_lamports) filter (where sponsored_at = 'infinity'), 0) as open
     from reservations where agent_id = $1`,
    policy.agentId,
  );
  return { spent: BigInt(row!.spent), open: BigInt(row!.open) };
}

describe('a message that the sponsor pays for', () => {
  it('has the sponsor as first signer and the wallet as second', async () => {
    const { own, message } = await sponsoredTransfer();
    expect(messageFacts(message).requiredSigners).toEqual([SPONSOR.address, own.address]);
    expect(await sponsoredLamports()).toEqual({ spent: 0n, open: FEE });
  });

  it("is settled by the sponsor's signature, and not by the wallet's", async () => {
    const { own, message, signature, shown } = await sponsoredTransfer();
    policy.world.land(message, signature);
    await expect(settle(policy, { ...shown, signature: own.sign(message) })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'signature' }],
    });
    expect(await settle(policy, shown)).toBe(OUTCOME_SETTLED);
    expect(await policy.usage()).toEqual(SPENT);
    expect(await sponsoredLamports()).toEqual({ spent: FEE, open: 0n });
  });

  it('that failed costs the sponsor its fee, and the agent nothing', async () => {
    const { message, signature, shown } = await sponsoredTransfer();
    policy.world.land(message, signature, { failed: true });
    expect(await settle(policy, shown)).toBe(OUTCOME_FAILED);
    expect(await policy.usage()).toEqual(NOTHING);
    expect(await sponsoredLamports()).toEqual({ spent: FEE, open: 0n });
  });

  it('that expired costs neither the agent nor the sponsor', async () => {
    const { shown } = await sponsoredTransfer();
    expect(await settle(policy, shown)).toBe(OUTCOME_OPEN);
    expect(await policy.usage()).toEqual(RESERVED);
    passBound(policy.world);
    await eventually(async () => (await settle(policy, shown)) === OUTCOME_EXPIRED);
    expect(await policy.usage()).toEqual(NOTHING);
    expect(await sponsoredLamports()).toEqual({ spent: 0n, open: 0n });
  });
});

describe('a sponsored message whose signature is never reported', () => {
  it('is found among what its wallet landed, not among all that the sponsor pays for', async () => {
    const { own, message, signature, unsigned } = await sponsoredTransfer();
    policy.world.land(message, signature);
    passBound(policy.world);
    policy.world.asked.length = 0;
    await eventually(async () => (await settle(policy, unsigned)) === OUTCOME_SETTLED);
    expect(new Set(policy.world.asked)).toEqual(new Set([own.address]));
    expect(await sponsoredLamports()).toEqual({ spent: FEE, open: 0n });
  });

  it('is released by policy itself once it can no longer land', async () => {
    const { shown } = await sponsoredTransfer();
    passBound(policy.world);
    await policy.database.rows(`update reservations set next_check_at = '-infinity' where state = 'open'`);
    await eventually(async () => (await policy.usage()).reserved === 0n);
    expect(await settle(policy, shown)).toBe(OUTCOME_EXPIRED);
    expect(await sponsoredLamports()).toEqual({ spent: 0n, open: 0n });
  });
});
