import { policyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnersUnderTest } from './owners-under-test.js';

const State = policyV1.ApprovalState;
const LOOSENING = { code: 'POLICY_LOOSENING_NEEDS_OWNER' };

let policy: OwnersUnderTest;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

describe('a claim that waits for a signature', () => {
  it('is good when the policy was only tightened meanwhile, and the token sees nothing of it', async () => {
    const owner = await policy.newOwner();
    const approval = await policy.requestClaim(owner.ownerId);
    const viewer = { $case: 'agentId', value: policy.agentId } as const;
    const shown = await policy.owners.listApprovals({ viewer, state: State.APPROVAL_STATE_UNSPECIFIED, cursor: '' });
    expect(shown.approvals).toEqual([]);
    const { approvalId } = approval;
    await expect(policy.owners.getApproval({ approvalId, viewer })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(policy.change({ dailyLimitUsdMicros: 900_000_000n })).rejects.toMatchObject(LOOSENING);
    await policy.change({ dailyLimitUsdMicros: 40_000_000n, maxSingleTransactionUsdMicros: 40_000_000n });
    expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPLIED);
    expect(await policy.policyNow()).toMatchObject({ claimed: true, dailyLimitUsdMicros: 40_000_000n });
  });

  it('lets the agent loosen again once it was rejected', async () => {
    const owner = await policy.newOwner();
    const { approvalId } = await policy.requestClaim(owner.ownerId);
    await policy.owners.closeApproval({ approvalId, by: { $case: 'ownerId', value: owner.ownerId } });
    await expect(policy.change({ dailyLimitUsdMicros: 900_000_000n })).resolves.toBeDefined();
  });

  it('is made once: a second has no effect, and a third is not requested', async () => {
    const [first, second] = [await policy.newOwner(), await policy.newOwner()];
    const [one, other] = [await policy.requestClaim(first.ownerId), await policy.requestClaim(second.ownerId)];
    expect(await policy.requestClaim(first.ownerId)).toEqual(one);
    expect(await policy.vote(second, other)).toBe(State.APPROVAL_STATE_APPLIED);
    expect(await policy.vote(first, one)).toBe(State.APPROVAL_STATE_SUPERSEDED);
    await expect(policy.requestClaim(first.ownerId)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    expect(await policy.owners.listAgents({ ownerId: first.ownerId })).toEqual({ agents: [] });
  });
});
