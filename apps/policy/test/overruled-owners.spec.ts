import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { authorization, newWallet, type OwnersClient, type PolicyClient, transferIntent } from './service.js';

const State = policyV1.ApprovalState;
const { OVERRULED_ACT_RELEASE: RELEASE, OVERRULED_ACT_UNFREEZE: UNFREEZE } = policyV1.OverruledAct;
const NOTE = { operator: 'alice', reason: 'the owner has lost the passkey' };
const ALMOST = '71 hours 59 minutes 50 seconds';
const THEN = '72 hours 10 seconds';
const USD = 1_000_000n;

let policy: OwnersUnderTest;
let ops: OwnersClient;
let wallet: PolicyClient;
let owner: TestOwner;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  ops = await policy.service.ownersAs('ops');
  wallet = await policy.service.as('wallet');
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
});
afterEach(() => policy.database.shiftClock('0'));

const overrule = async (act = RELEASE, change: Partial<policyV1.OverruleOwnersRequest> = {}) =>
  (await ops.overruleOwners({ agentId: policy.agentId, act, ...NOTE, withdraw: false, ...change })).objection!;
const freeze = () => policy.owners.freezeAgent({ agentId: policy.agentId, ownerId: owner.ownerId });
const isClaimed = async () => (await policy.policyNow()).claimed;
const isFrozen = () =>
  wallet.checkSpending({ agentId: policy.agentId, spending: policyV1.Spending.SPENDING_PAYMENT }).then(
    () => false,
    () => true,
  );
const stateOf = async ({ approvalId }: policyV1.Approval) => {
  const [row] = await policy.database.rows<{ state: string }>('select state from approvals where id = $1', approvalId);
  return row!.state;
};
const ended = (approval: policyV1.Approval) =>
  eventually(
    () => stateOf(approval),
    (state) => state !== 'pending',
  );

describe('the release of an agent', () => {
  it('takes effect after 72 hours, and not before; the log has each step', async () => {
    let objection!: policyV1.Approval;
    const facts = await policy.factsDuring(policy.agentId, async () => {
      objection = await overrule();
      expect((await overrule()).approvalId).toBe(objection.approvalId);
      expect(objection.expiresAtMs - objection.askedAtMs).toBe(72n * 3_600_000n);
      await policy.database.shiftClock(ALMOST);
      await policy.propose({ dailyLimitUsdMicros: 600n * USD });
      expect([await stateOf(objection), await isClaimed()]).toEqual(['pending', true]);
      await policy.database.shiftClock(THEN);
      expect([await ended(objection), await isClaimed()]).toEqual(['expired', false]);
    });
    expect(documentOf(objection)).toMatchObject({ kind: 'objection', terms: { act: 'release', ...NOTE } });
    const { ownerId } = owner;
    const { approvalId } = objection;
    expect(facts).toEqual([
      expect.objectContaining({ $case: 'approvalRequested' }),
      expect.objectContaining({ $case: 'approvalRequested' }),
      expect.objectContaining({ $case: 'approvalClosed', value: expect.objectContaining({ state: 'superseded' }) }),
      { $case: 'memberChanged', value: { ownerId, role: 'owner', action: 'removed' } },
      { $case: 'operatorActed', value: { ...NOTE, action: 'release', operationId: '', approvalId } },
      { $case: 'approvalClosed', value: { approvalId, kind: 'objection', ownerId, state: 'expired' } },
    ]);
    expect((await policy.owners.listAgents({ ownerId })).agents).toEqual([]);
    // The mailbox has the agent again, and it can be claimed once more, by the same owner, too.
    await policy.change({ dailyLimitUsdMicros: 900n * USD });
    expect(await policy.vote(owner, await policy.requestClaim(ownerId))).toBe(State.APPROVAL_STATE_APPROVED);
  });

  it('ends the owners’ freeze, their name for the agent, and what an owner would have been asked about', async () => {
    const above = {
      approveAbove: { usdMicros: 20n * USD },
      newRecipients: policyV1.NewRecipients.NEW_RECIPIENTS_APPROVE,
      allowMailLogin: false,
    };
    await policy.tighten(owner.ownerId, above);
    const { request } = authorization(policy.agentId, transferIntent(newWallet().address));
    const asking = { ...request, operationId: newId() };
    await expect(wallet.authorize(asking)).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
    await freeze();
    const objection = await overrule();
    await policy.database.shiftClock(THEN);
    expect(await ended(objection)).toBe('expired');
    expect(await isFrozen()).toBe(false);
    const now = await policy.policyNow();
    expect(now).toMatchObject({
      newRecipients: policyV1.NewRecipients.NEW_RECIPIENTS_DENY,
      maxSingleTransactionUsdMicros: 20n * USD,
      allowMailLogin: true,
    });
    expect(now.approveAboveUsdMicros).toBeUndefined();
    await expect(wallet.authorize(asking)).rejects.toMatchObject({ code: 'POLICY_VIOLATION' });
  });

  it('ends what owners had signed of recipients', async () => {
    await policy.database.rows(
      `insert into recipients (agent_id, address, trusted_at, trust, signed_at)
       values ($1, 'known', policy.now(), 'always', policy.now())`,
      policy.agentId,
    );
    const objection = await overrule();
    await policy.database.shiftClock(THEN);
    expect(await ended(objection)).toBe('expired');
    const known = await policy.database.rows<{ trusted_at: unknown; trust: unknown }>(
      'select trusted_at, trust from recipients where agent_id = $1',
      policy.agentId,
    );
    expect(known).toEqual([{ trusted_at: null, trust: null }]);
  });

  it('does not happen when any owner objects by a signature, and can be asked for again', async () => {
    const objection = await overrule();
    await policy.database.shiftClock(ALMOST);
    const facts = await policy.factsDuring(policy.agentId, async () => {
      expect(await policy.vote(owner, objection)).toBe(State.APPROVAL_STATE_APPLIED);
    });
    expect(facts).toMatchObject([{ $case: 'approvalDecided', value: { outcome: 'applied' } }]);
    await policy.database.shiftClock(THEN);
    const again = await overrule();
    expect(again.approvalId).not.toBe(objection.approvalId);
    expect([await stateOf(objection), await isClaimed()]).toEqual(['applied', true]);
  });

  it('comes too late for an objection once its time has come', async () => {
    const objection = await overrule();
    await policy.database.shiftClock(THEN);
    await expect(policy.vote(owner, objection)).rejects.toMatchObject({
      code: expect.stringMatching(/CLOSED|NOT_FOUND/),
    });
    expect([await ended(objection), await isClaimed()]).toEqual(['expired', false]);
  });

  it('is rejected by no session alone, and is not the agent’s to see', async () => {
    const { approvalId } = await overrule();
    const by = { $case: 'ownerId', value: owner.ownerId } as const;
    await expect(policy.owners.closeApproval({ approvalId, by })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const viewer = { $case: 'agentId', value: policy.agentId } as const;
    await expect(policy.owners.getApproval({ approvalId, viewer })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('can be withdrawn by an operator', async () => {
    const objection = await overrule();
    const facts = await policy.factsDuring(policy.agentId, async () => {
      expect((await overrule(RELEASE, { withdraw: true })).state).toBe(State.APPROVAL_STATE_WITHDRAWN);
    });
    expect(facts).toMatchObject([
      { $case: 'approvalClosed', value: { state: 'withdrawn' } },
      { $case: 'operatorActed', value: { action: 'withdraw_release', approvalId: objection.approvalId } },
    ]);
    await expect(overrule(RELEASE, { withdraw: true })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(policy.vote(owner, objection)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
  });

  it('needs an owner, an operator and a reason', async () => {
    await policy.newAgent();
    await expect(overrule()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    for (const wrong of [{ operator: '' }, { reason: ' ' }, { operator: 'owner of it' }]) {
      await expect(overrule(RELEASE, wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });

  it('happens once with two replicas and a vote at the same time, or not at all', async () => {
    const objection = await overrule();
    const at = Number(objection.expiresAtMs);
    await policy.database.stopClock(new Date(at - 1).toISOString());
    const votes = await Promise.allSettled([
      policy.vote(owner, objection),
      policy.database.stopClock(new Date(at).toISOString()),
    ]);
    const state = await ended(objection);
    expect(state).toBe(votes[0].status === 'fulfilled' ? 'applied' : 'expired');
    expect(await isClaimed()).toBe(state === 'applied');
  });
});

describe('the end of an owners’ freeze by an operator', () => {
  it('takes effect after 72 hours; the agent stays theirs', async () => {
    await expect(overrule(UNFREEZE)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await freeze();
    const objection = await overrule(UNFREEZE);
    await policy.database.shiftClock(ALMOST);
    expect(await isFrozen()).toBe(true);
    await policy.database.shiftClock(THEN);
    expect(await ended(objection)).toBe('expired');
    expect([await isFrozen(), await isClaimed()]).toEqual([false, true]);
  });

  it('leaves a freeze that began later', async () => {
    await freeze();
    const objection = await overrule(UNFREEZE);
    await policy.vote(owner, await policy.requestUnfreeze(owner.ownerId));
    await policy.database.shiftClock('1 hour');
    await freeze();
    await policy.database.shiftClock(THEN);
    expect([await ended(objection), await isFrozen()]).toEqual(['superseded', true]);
  });

  it('leaves an operator’s own freeze', async () => {
    const operator = await policy.service.as('ops');
    await operator.setFreeze({ agentId: policy.agentId, frozen: true, ...NOTE });
    await freeze();
    const objection = await overrule(UNFREEZE);
    await policy.database.shiftClock(THEN);
    expect([await ended(objection), await isFrozen()]).toEqual(['expired', true]);
  });
});
