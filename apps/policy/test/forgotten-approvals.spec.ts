import type { policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { authorization, newWallet, type PolicyClient, transferIntent } from './service.js';

const USD = 1_000_000n;

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let owner: TestOwner;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  wallet = await policy.service.as('wallet');
  await policy.newAgent();
  owner = await policy.newClaim();
});
afterAll(() => policy.stop());

const propose = (usd: bigint) => policy.propose({ dailyLimitUsdMicros: usd * USD });

async function close({ approvalId }: policyV1.Approval, by: policyV1.CloseApprovalRequest['by']): Promise<void> {
  await policy.owners.closeApproval({ approvalId, by });
}

/** A payment that its owner has signed and taken back. */
async function takenBack(): Promise<void> {
  await policy.change({ approveAbove: { usdMicros: USD } });
  const intent = transferIntent(newWallet().address, { amount: 2n * USD });
  const approval = await policy.awaiting(wallet, authorization(policy.agentId, intent).request, owner);
  await policy.vote(owner, approval);
  await close(approval, { $case: 'ownerId', value: owner.ownerId });
}

async function statesLeft(): Promise<string[]> {
  const rows = await policy.database.rows<{ state: string }>(
    'select state from approvals where agent_id = $1 order by state::text',
    policy.agentId,
  );
  return rows.map(({ state }) => state);
}

it('approvals that ended without an effect are forgotten after 90 days, with their signatures; the others stay', async () => {
  await policy.vote(owner, await propose(600n));
  await close(await propose(700n), { $case: 'ownerId', value: owner.ownerId });
  await close(await propose(800n), { $case: 'agentId', value: policy.agentId });
  await takenBack();
  const all = ['applied', 'applied', 'rejected', 'withdrawn', 'withdrawn'];
  expect((await statesLeft()).length).toBe(all.length);
  await policy.database.shiftClock('89 days 23 hours');
  const later = await propose(900n);
  await close(later, { $case: 'agentId', value: policy.agentId });
  expect(await statesLeft()).toHaveLength(all.length + 1);
  await policy.database.shiftClock('90 days 1 hour');
  await eventually(statesLeft, (left) => left.length === 3);
  expect(await statesLeft()).toEqual(['applied', 'applied', 'withdrawn']);
  const votes = await policy.database.rows(
    'select from votes v left join approvals a on a.id = v.approval_id where a.id is null',
  );
  expect(votes).toEqual([]);
  const kept = await policy.database.rows('select from approvals where id = $1', later.approvalId);
  expect(kept).toHaveLength(1);
});
