import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { Authenticator, eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { OWNER_ORIGIN, type OwnersClient } from './service.js';

const State = policyV1.ApprovalState;
const NOTE = { operator: 'alice', reason: 'seen on a call' };
const ALMOST = '71 hours 59 minutes 50 seconds';
const THEN = '72 hours 10 seconds';

let policy: OwnersUnderTest;
let ops: OwnersClient;
let owner: TestOwner;
let found: Authenticator;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  ops = await policy.service.ownersAs('ops');
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
  found = new Authenticator(OWNER_ORIGIN, 'ES256');
});
afterEach(() => policy.database.shiftClock('0'));

async function start({ ownerId } = owner, authenticator = found): Promise<policyV1.Approval> {
  const { challenge } = await policy.owners.createPasskeyChallenge({ ownerId });
  const registrationJson = authenticator.register(challenge);
  return (await policy.owners.addPasskey({ ownerId, registrationJson, recovers: true })).approval!;
}
const confirm = async ({ approvalId }: policyV1.Approval) =>
  (await ops.confirmRecovery({ approvalId, ...NOTE })).recovery!;
const reject = ({ approvalId }: policyV1.Approval, ownerId = owner.ownerId) =>
  policy.owners.closeApproval({ approvalId, by: { $case: 'ownerId', value: ownerId } });
const stateOf = async ({ approvalId, ownerId }: policyV1.Approval) => {
  const viewer = { $case: 'ownerId', value: ownerId } as const;
  return (await policy.owners.getApproval({ approvalId, viewer })).approval!.state;
};
const passkeys = async () => (await policy.owners.listPasskeys(owner)).passkeys.map(({ credentialId }) => credentialId);
const canSign = async (authenticator: Authenticator) => {
  const proposal = await policy.propose({ dailyLimitUsdMicros: 900_000_000n });
  return policy.vote({ ...owner, authenticator }, proposal).then(
    () => true,
    () => false,
  );
};
const applied = (recovery: policyV1.Approval) =>
  eventually(
    () => stateOf(recovery),
    (state) => state !== State.APPROVAL_STATE_APPROVED,
  );

describe('the recovery of a lost passkey', () => {
  it('takes effect 72 hours after the operator has confirmed it: the new passkey replaces all', async () => {
    const recovery = await start();
    expect(documentOf(recovery)).toMatchObject({ kind: 'recovery', owner: owner.ownerId });
    expect(recovery.expiresAtMs - recovery.askedAtMs).toBe(7n * 86_400_000n);
    const confirmed = await confirm(recovery);
    expect(confirmed.state).toBe(State.APPROVAL_STATE_APPROVED);
    const facts = await policy.factsDuring(owner.ownerId, async () => {
      await policy.database.shiftClock(ALMOST);
      expect([await stateOf(recovery), await canSign(found)]).toEqual([State.APPROVAL_STATE_APPROVED, false]);
      await policy.database.shiftClock(THEN);
      expect(await applied(recovery)).toBe(State.APPROVAL_STATE_APPLIED);
    });
    expect(facts).toMatchObject([
      { $case: 'passkeyChanged', value: { action: 'added' } },
      { $case: 'passkeyChanged', value: { action: 'removed' } },
      { $case: 'approvalClosed', value: { approvalId: recovery.approvalId, kind: 'recovery', state: 'applied' } },
    ]);
    expect(await passkeys()).toHaveLength(1);
    expect([await canSign(owner.authenticator), await canSign(found)]).toEqual([false, true]);
  });

  it('does not take effect without the operator, and expires after a week', async () => {
    const recovery = await start();
    await policy.database.shiftClock(THEN);
    expect(await stateOf(recovery)).toBe(State.APPROVAL_STATE_PENDING);
    await policy.database.shiftClock('7 days 1 minute');
    expect(await stateOf(recovery)).toBe(State.APPROVAL_STATE_EXPIRED);
    await expect(confirm(recovery)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    expect(await canSign(owner.authenticator)).toBe(true);
  });

  it.each(['before', 'after'])('is rejected by the owner %s the operator has confirmed it', async (when) => {
    const recovery = await start();
    if (when === 'after') await confirm(recovery);
    await reject(recovery);
    await expect(confirm(recovery)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    await policy.database.shiftClock(THEN);
    expect(await stateOf(recovery)).toBe(State.APPROVAL_STATE_REJECTED);
    expect([await canSign(found), await canSign(owner.authenticator)]).toEqual([false, true]);
  });

  it('is confirmed once, is published with the operator’s name, and is found by its own id alone', async () => {
    const recovery = await start();
    const facts = await policy.factsDuring(owner.ownerId, () => confirm(recovery));
    const { approvalId } = recovery;
    const value = { ...NOTE, action: 'confirm_recovery', operationId: '', approvalId };
    expect(facts).toEqual([{ $case: 'operatorActed', value }]);
    await expect(confirm(recovery)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    await expect(confirm({ ...recovery, approvalId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const claim = await policy.propose({ dailyLimitUsdMicros: 700_000_000n });
    await expect(confirm(claim)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('needs a passkey to replace', async () => {
    await expect(start({ ownerId: newId(), authenticator: found })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is not signed by one who has only some agents of that owner: anyone can make another an owner of an agent', async () => {
    const victim = owner;
    await policy.newAgent();
    const thief = await policy.newClaim();
    await policy.join(thief, victim);
    const recovery = await start(victim);
    await expect(policy.vote(thief, recovery)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const viewer = { $case: 'ownerId', value: thief.ownerId } as const;
    const listed = await policy.owners.listApprovals({ viewer, state: State.APPROVAL_STATE_UNSPECIFIED, cursor: '' });
    expect(listed.approvals.map(({ approvalId }) => approvalId)).not.toContain(recovery.approvalId);
    expect(await passkeys()).toHaveLength(1);
  });

  it.each(['whose only agent is the signer’s', 'whose own claim is ahead'])(
    'is not signed by one who made that person an owner, %s',
    async (of) => {
      const victim = await policy.newOwner();
      const thief = owner;
      if (of === 'whose own claim is ahead') {
        const { agentId } = policy;
        await policy.newAgent();
        const claim = await policy.requestClaim(victim.ownerId, { holdsNothing: false });
        expect(await policy.vote(victim, claim)).toBe(State.APPROVAL_STATE_APPROVED);
        policy.agentId = agentId;
      }
      await policy.join(thief, victim);
      await expect(policy.vote(thief, await start(victim))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    },
  );

  it.each([false, true])('takes effect at once by another owner of an agent (confirmed: %s)', async (isConfirmed) => {
    const second = await policy.newOwner();
    await policy.join(owner, second);
    const recovery = await start();
    if (isConfirmed) await confirm(recovery);
    const stranger = await policy.newOwner();
    await expect(policy.vote(stranger, recovery)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(reject(recovery, second.ownerId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const viewer = { $case: 'ownerId', value: second.ownerId } as const;
    const listed = await policy.owners.listApprovals({ viewer, state: State.APPROVAL_STATE_UNSPECIFIED, cursor: '' });
    expect(listed.approvals.map(({ approvalId }) => approvalId)).toContain(recovery.approvalId);
    expect(await policy.vote(second, recovery)).toBe(State.APPROVAL_STATE_APPLIED);
    expect([await canSign(owner.authenticator), await canSign(found)]).toEqual([false, true]);
    await policy.database.shiftClock(THEN);
    expect(await passkeys()).toHaveLength(1);
  });
});
