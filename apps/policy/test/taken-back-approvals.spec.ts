import { policyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { authorization, newWallet, type PolicyClient, transferIntent } from './service.js';

const USD = 1_000_000n;
const State = policyV1.ApprovalState;

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let owner: TestOwner;

beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  wallet = await policy.service.as('wallet');
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
  await policy.change({ approveAbove: { usdMicros: 10n * USD } });
});

/** A payment of 11 dollars, and its approval. */
async function approved() {
  const { request } = authorization(policy.agentId, transferIntent(newWallet().address, { amount: 11n * USD }));
  const approval = await policy.awaiting(wallet, request, owner);
  expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPROVED);
  return { request, approval };
}

const usage = () => policy.gateway.getUsage({ agentId: policy.agentId });

describe('an approved payment', () => {
  it.each([
    ['its owner', 'rejected'],
    ['the agent', 'withdrawn'],
  ])('is taken back by %s, and moves nothing; not once it is used', async (who, reason) => {
    const byOwner = { $case: 'ownerId', value: owner.ownerId } as const;
    const by = who === 'the agent' ? ({ $case: 'agentId', value: policy.agentId } as const) : byOwner;
    const { request, approval } = await approved();
    const { approvalId } = approval;
    const facts = await policy.factsDuring(policy.agentId, () => policy.owners.closeApproval({ approvalId, by }));
    expect(facts).toMatchObject([{ $case: 'approvalClosed', value: { approvalId, state: reason } }]);
    await expect(wallet.authorize(request)).rejects.toMatchObject({ code: 'APPROVAL_REJECTED', data: { reason } });
    expect((await usage()).reservedUsdMicros).toBe(0n);
    const used = await approved();
    await wallet.authorize(used.request);
    const late = policy.owners.closeApproval({ approvalId: used.approval.approvalId, by });
    await expect(late).rejects.toMatchObject({ code: 'APPROVAL_CLOSED', data: { state: 'used' } });
  });
});
