import { newId } from '@agent-wallet/kernel';
import { newAddress } from '@agent-wallet/solana/corpus';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnersUnderTest, type TestOwner } from './owners-under-test.js';

let policy: OwnersUnderTest;
let owner: TestOwner;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
});

const overview = (ownerId = owner.ownerId) => policy.owners.getAgent({ agentId: policy.agentId, ownerId });

/** Stores value that was settled some time ago. */
async function settled(ago: string, usdMicros: bigint, agentId = policy.agentId): Promise<void> {
  await policy.database.policy.pool.query(
    `insert into reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, state, created_at,
       settled_at, next_check_at)
     values ($1, 1, 1, $2, '', '', $3, 'settled', now(), date_bin('5 minutes', now() - $4::interval, 'epoch') + interval '1 minute',
       now())`,
    [newId(), agentId, usdMicros, ago],
  );
}

describe('an agent as its owner sees it', () => {
  it('has the value that counts, of five minutes together, and when it leaves the day', async () => {
    await settled('25 hours', 1n);
    await settled('3 hours', 2n);
    await settled('3 hours', 3n);
    await settled('1 hour', 4n);
    await settled('1 hour', 5n, newId());
    const { counted } = await overview();
    expect(counted.map(({ usdMicros }) => usdMicros)).toEqual([5n, 4n]);
    for (const { countedSinceMs, leavesAtMs } of counted) expect(leavesAtMs - countedSinceMs).toBe(86_400_000n);
  });

  it('has the recipients that it paid since the claim or that the owner listed, and its freezes', async () => {
    const [paid, listed] = [newAddress(), newAddress()];
    await policy.database.policy.pool.query(
      `insert into recipients (agent_id, address, first_settled_at, trusted_at) values
         ($1, $2, '2126-01-01T00:00:00.123Z', null), ($1, $3, null, '2126-01-02T00:00:00Z'), ($4, $2, now(), null),
         ($1, $5, '2025-01-01T00:00:00Z', null)`,
      [policy.agentId, paid, listed, newId(), newAddress()],
    );
    await policy.owners.freezeAgent({ agentId: policy.agentId, ownerId: owner.ownerId });
    expect(await overview()).toMatchObject({
      agent: { agentId: policy.agentId, role: 'owner' },
      freezes: [{ agentId: policy.agentId, source: 'owner' }],
      recipients: [
        { address: listed, firstSettledAtMs: 0n, trustedAtMs: 4_922_985_600_000n },
        { address: paid, firstSettledAtMs: 4_922_899_200_123n, trustedAtMs: 0n },
      ],
    });
  });

  it('is not found by another owner', async () => {
    const other = await policy.newOwner();
    await expect(overview(other.ownerId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(policy.owners.getAgent({ agentId: newId(), ownerId: owner.ownerId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
