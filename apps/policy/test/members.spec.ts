import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';

const State = policyV1.ApprovalState;
const { APPROVAL_STATE_APPLIED: APPLIED, APPROVAL_STATE_SUPERSEDED: SUPERSEDED } = State;
const { APPROVAL_STATE_APPROVED: APPROVED } = State;
const EMAIL = 'second@example.com';

let policy: OwnersUnderTest;
let owner: TestOwner;
let second: TestOwner;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
  second = await policy.newOwner();
});

const member = (by: TestOwner, change: Partial<policyV1.MemberRequest>) =>
  policy.requestMember(by.ownerId, { email: EMAIL, ...change });
const joining = (who = second, by = owner) => member(by, { memberId: who.ownerId });
const leaving = (who: TestOwner, by = owner) => member(by, { memberId: who.ownerId, leaves: true });
const join = async (who = second) => expect(await policy.join(owner, who)).toBe(APPLIED);
const close = (who: TestOwner, { approvalId }: policyV1.Approval) =>
  policy.owners.closeApproval({ approvalId, by: { $case: 'ownerId', value: who.ownerId } });
const agentsOf = async ({ ownerId }: TestOwner) =>
  (await policy.owners.listAgents({ ownerId })).agents.map(({ agentId }) => agentId);

it('an owner’s agents are listed up to 1,000, the first first', async () => {
  await policy.database.rows(
    `insert into agent_owners (agent_id, owner_id, role, since)
     select gen_random_uuid(), $1, 'owner', now() + n * interval '1 second' from generate_series(1, 1000) n`,
    owner.ownerId,
  );
  const agents = await agentsOf(owner);
  expect([agents.length, agents[0]]).toEqual([1_000, policy.agentId]);
});

describe('another owner', () => {
  it('joins by the signatures of an owner and of that person over the same document, and then has equal rights', async () => {
    const asked = await joining();
    expect((await joining()).approvalId).toBe(asked.approvalId);
    expect(documentOf(asked)).toMatchObject({
      ...{ kind: 'member', agent: policy.agentId },
      terms: { action: 'add', member: second.ownerId, email: EMAIL },
    });
    await expect(policy.vote(second, asked)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const invited = await policy.factsDuring(policy.agentId, () => policy.vote(owner, asked));
    expect(invited).toMatchObject([
      { $case: 'memberChanged', value: { ownerId: second.ownerId, role: 'owner', action: 'invited' } },
      { $case: 'approvalDecided', value: { outcome: 'approved', ownerId: owner.ownerId } },
    ]);
    expect(await agentsOf(second)).toEqual([]);
    const facts = await policy.factsDuring(policy.agentId, () => policy.vote(second, asked));
    expect(facts).toMatchObject([
      { $case: 'memberChanged', value: { ownerId: second.ownerId, role: 'owner', action: 'added' } },
      { $case: 'approvalDecided', value: { outcome: 'applied' } },
    ]);
    const proposal = await policy.propose({ dailyLimitUsdMicros: 900_000_000n });
    expect(await policy.vote(second, proposal)).toBe(APPLIED);
    await policy.owners.freezeAgent({ agentId: policy.agentId, ownerId: second.ownerId });
    expect(await policy.vote(second, await leaving(owner, second))).toBe(APPLIED);
    expect([await agentsOf(owner), await agentsOf(second)]).toEqual([[], [policy.agentId]]);
  });

  it('does not join without a passkey, twice, or when asked for by a stranger', async () => {
    const invalid = { code: 'VALIDATION_ERROR' };
    await expect(member(owner, { memberId: newId() })).rejects.toMatchObject(invalid);
    await expect(joining(owner)).rejects.toMatchObject(invalid);
    await expect(joining(second, await policy.newOwner())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(leaving(second)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('does not join by a stranger’s signature, without the own one', async () => {
    const asked = await joining();
    const viewer = { $case: 'ownerId', value: second.ownerId } as const;
    const listed = async () =>
      (await policy.owners.listApprovals({ viewer, state: State.APPROVAL_STATE_UNSPECIFIED, cursor: '' })).approvals;
    expect(await listed()).toEqual([]);
    expect(await policy.vote(owner, asked)).toBe(APPROVED);
    expect((await listed()).map(({ approvalId }) => approvalId)).toEqual([asked.approvalId]);
    await expect(policy.owners.getAgent({ agentId: policy.agentId, ownerId: second.ownerId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(policy.vote(owner, asked)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    await close(second, asked);
    await expect(policy.vote(second, asked)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    expect(await agentsOf(second)).toEqual([]);
  });

  it('does not join once the invitation was taken back, is too old, or is of one who left', async () => {
    const back = await joining();
    await policy.vote(owner, back);
    await close(owner, back);
    await expect(policy.vote(second, back)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    const third = await policy.newOwner();
    await join(third);
    const of = await member(third, { memberId: second.ownerId });
    await policy.vote(third, of);
    await policy.vote(owner, await leaving(third));
    expect(await policy.vote(second, of)).toBe(SUPERSEDED);
    const old = await joining();
    await policy.vote(owner, old);
    await policy.database.shiftClock('8 days');
    await expect(policy.vote(second, old)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    await policy.database.shiftClock('0');
    expect(await agentsOf(second)).toEqual([]);
  });

  it('is one of ten at most', async () => {
    await policy.database.rows(
      `insert into agent_owners (agent_id, owner_id, role, since)
       select $1, gen_random_uuid(), 'owner', policy.now() from generate_series(1, 8)`,
      policy.agentId,
    );
    const tooMany = await policy.newOwner();
    const [one, other] = [await joining(), await joining(tooMany)];
    expect([await policy.vote(owner, one), await policy.vote(owner, other)]).toEqual([APPROVED, APPROVED]);
    expect([await policy.vote(second, one), await policy.vote(tooMany, other)]).toEqual([APPLIED, SUPERSEDED]);
    await expect(joining(await policy.newOwner())).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('leaves, but not as the last; what that owner signed and is not used lets nothing spend', async () => {
    await expect(leaving(owner)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await join();
    const [first, later] = [await leaving(second), await leaving(owner)];
    expect([await policy.vote(owner, first), await policy.vote(owner, later)]).toEqual([APPLIED, SUPERSEDED]);
    expect([await agentsOf(owner), await agentsOf(second)]).toEqual([[policy.agentId], []]);
    // One who left can come back.
    await join();
    expect(await agentsOf(second)).toEqual([policy.agentId]);
  });

  it('gets the applied approval of the own leaving', async () => {
    await join();
    expect(await policy.vote(second, await leaving(second, second))).toBe(APPLIED);
    expect(await agentsOf(second)).toEqual([]);
  });

  it('ends no freeze once that owner has left, and its requests count for itself alone', async () => {
    await join();
    await policy.owners.freezeAgent({ agentId: policy.agentId, ownerId: owner.ownerId });
    const unfreeze = await policy.requestUnfreeze(second.ownerId);
    const proposal = await policy.propose({ dailyLimitUsdMicros: 900_000_000n, ownerId: second.ownerId });
    expect(proposal.ownerId).toBe(second.ownerId);
    expect(await policy.vote(owner, await leaving(second))).toBe(APPLIED);
    expect(await policy.vote(second, unfreeze)).toBe(SUPERSEDED);
    await expect(policy.vote(second, proposal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await policy.vote(owner, proposal)).toBe(APPLIED);
  });

  it('leaves one owner when both remove each other at once', async () => {
    await join();
    const [one, other] = [await leaving(owner, second), await leaving(second, owner)];
    const votes = await Promise.allSettled([policy.vote(second, one), policy.vote(owner, other)]);
    expect(votes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect([...(await agentsOf(owner)), ...(await agentsOf(second))]).toEqual([policy.agentId]);
  });
});
