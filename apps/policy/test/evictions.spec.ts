import { policyV1 } from '@agent-wallet/contracts';
import { firstIdAt, newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { authorization, newWallet, type OwnersClient, type PolicyClient, transferIntent } from './service.js';

const USD = 1_000_000n;
const State = policyV1.ApprovalState;
const VOID = { code: 'APPROVAL_REJECTED', data: { reason: 'void' } };

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let walletOfOwners: OwnersClient;
let owner: TestOwner;
let own: string;

beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  wallet = await policy.service.as('wallet');
  walletOfOwners = await policy.service.ownersAs('wallet');
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
  own = newWallet().address;
  await policy.change({ approveAbove: { usdMicros: 10n * USD } });
});

/** A new operation of the agent that needs an approval. */
const sending = () => authorization(policy.agentId, transferIntent(own, { amount: 11n * USD })).request;

/** Asks for a permit, which needs an approval. */
const awaiting = (request: policyV1.AuthorizeRequest) => policy.awaiting(wallet, request, owner);

const voidBefore = async (askedBeforeMs: number, agentId = policy.agentId) =>
  (await policy.owners.voidOperations({ agentId, askedBeforeMs: BigInt(askedBeforeMs), endedTokenIds: [] })).voided;

/** Just after everything that was asked for so far. */
const now = () => Date.now() + 1;

/** The states of proposals, as the owner reads them. */
const statesOfProposals = (approvals: readonly policyV1.Approval[]) =>
  Promise.all(
    approvals.map(async ({ approvalId }) => {
      const viewer = { $case: 'ownerId', value: owner.ownerId } as const;
      return (await policy.owners.getApproval({ approvalId, viewer })).approval!.state;
    }),
  );

const statesOf = async (approvals: readonly policyV1.Approval[]) => {
  const approvalIds = approvals.map(({ approvalId }) => approvalId);
  const found = (await walletOfOwners.getApprovalStates({ approvalIds })).approvals;
  return approvalIds.map((id) => found.find(({ approvalId }) => approvalId === id)?.state);
};

describe('the end of all sessions of an agent', () => {
  it('voids what waits and what was approved, and leaves what was used; the log has each', async () => {
    const requests = [sending(), sending(), sending()];
    const approvals: policyV1.Approval[] = [];
    for (const request of requests) approvals.push(await awaiting(request));
    for (const approval of approvals.slice(1)) await policy.vote(owner, approval);
    await wallet.authorize(requests[2]!);
    const facts = await policy.factsDuring(policy.agentId, async () => expect(await voidBefore(now())).toBe(2));
    expect(await statesOf(approvals)).toEqual([
      ...[State.APPROVAL_STATE_VOID, State.APPROVAL_STATE_VOID, State.APPROVAL_STATE_USED],
    ]);
    const closed = approvals.slice(0, 2).map(({ approvalId }) => ({
      $case: 'approvalClosed',
      value: { approvalId, kind: 'operation', state: 'void', ownerId: owner.ownerId },
    }));
    expect(facts).toEqual(expect.arrayContaining(closed));
    expect(facts).toHaveLength(2);
    for (const request of requests.slice(0, 2)) await expect(wallet.authorize(request)).rejects.toMatchObject(VOID);
    await expect(policy.vote(owner, approvals[0]!)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    expect((await policy.gateway.getUsage({ agentId: policy.agentId })).reservedUsdMicros).toBe(11n * USD);
  });

  it('reaches what was asked for before it and comes to policy after it', async () => {
    const late = sending();
    expect(await voidBefore(now())).toBe(0);
    const facts = await policy.factsDuring(policy.agentId, () =>
      expect(wallet.authorize(late)).rejects.toMatchObject(VOID),
    );
    expect(facts).toEqual([]);
    // Within the policy, without an approval, it asks for nothing.
    await expect(
      wallet.authorize({ ...authorization(policy.agentId, transferIntent(own)).request, operationId: newId() }),
    ).resolves.toMatchObject({ reservedUsdMicros: USD });
  });

  it('leaves what a new login asks for afterwards, also when it is reported once more, or an older one late', async () => {
    const endedAtMs = now();
    await voidBefore(endedAtMs);
    const operationId = firstIdAt(endedAtMs).replace(/0{12}$/, newId().slice(-12));
    const afterwards = { ...sending(), operationId };
    const approval = await awaiting(afterwards);
    expect([await voidBefore(endedAtMs), await voidBefore(endedAtMs - 60_000)]).toEqual([0, 0]);
    await policy.vote(owner, approval);
    expect((await wallet.authorize(afterwards)).reservedUsdMicros).toBe(11n * USD);
    // The later of two evictions decides.
    await expect(wallet.authorize({ ...sending(), operationId: firstIdAt(endedAtMs - 1) })).rejects.toMatchObject(VOID);
  });

  it('reaches at most a minute ahead of the clock of policy', async () => {
    await voidBefore(2 ** 48 - 1);
    await awaiting({
      ...sending(),
      operationId: firstIdAt(Date.now() + 120_000).replace(/0{12}$/, newId().slice(-12)),
    });
  });

  it('leaves other agents alone, and asks no more than a time of it', async () => {
    const approval = await awaiting(sending());
    const mine = policy.agentId;
    expect(await voidBefore(now(), newId())).toBe(0);
    await policy.newAgent();
    expect(await voidBefore(now())).toBe(0);
    policy.agentId = mine;
    expect(await statesOf([approval])).toEqual([State.APPROVAL_STATE_PENDING]);
    for (const askedBeforeMs of [-1n, 2n ** 48n]) {
      const request = { agentId: mine, askedBeforeMs, endedTokenIds: [] };
      await expect(policy.owners.voidOperations(request)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });
});

describe('the proposals of an agent whose sessions all end', () => {
  const { APPROVAL_STATE_PENDING: PENDING, APPROVAL_STATE_WITHDRAWN: WITHDRAWN } = State;
  const proposing = (usd: bigint, ownerId = '') => policy.propose({ ownerId, dailyLimitUsdMicros: usd * USD });

  it('are withdrawn with the operations, those of the owner stay; the log has each', async () => {
    const proposals = [await proposing(600n), await proposing(700n)];
    const ofOwner = await proposing(800n, owner.ownerId);
    const operation = await awaiting(sending());
    const facts = await policy.factsDuring(policy.agentId, async () => expect(await voidBefore(now())).toBe(3));
    expect(await statesOfProposals([...proposals, ofOwner])).toEqual([WITHDRAWN, WITHDRAWN, PENDING]);
    const closed = [...proposals, operation].map(({ approvalId }, index) => ({
      $case: 'approvalClosed',
      value: {
        ...{ approvalId, ownerId: owner.ownerId },
        ...(index < 2 ? { kind: 'policy', state: 'withdrawn' } : { kind: 'operation', state: 'void' }),
      },
    }));
    expect(facts).toEqual(expect.arrayContaining(closed));
    expect(facts).toHaveLength(3);
    await expect(policy.vote(owner, proposals[0]!)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    expect((await policy.policyNow()).dailyLimitUsdMicros).toBe(500n * USD);
    await policy.vote(owner, ofOwner);
    expect((await policy.policyNow()).dailyLimitUsdMicros).toBe(800n * USD);
  });

  it('stay when they were made at that time or later, also when it is reported once more', async () => {
    const { askedAtMs, ...proposal } = await proposing(600n);
    expect(await voidBefore(Number(askedAtMs))).toBe(0);
    expect(await statesOfProposals([{ askedAtMs, ...proposal }])).toEqual([PENDING]);
    expect(await voidBefore(Number(askedAtMs) + 1)).toBe(1);
    const later = await proposing(600n);
    expect(later.approvalId).not.toBe(proposal.approvalId);
    expect(await voidBefore(Number(askedAtMs) + 1)).toBe(0);
    expect(await statesOfProposals([{ askedAtMs, ...proposal }, later])).toEqual([WITHDRAWN, PENDING]);
  });

  it('stay those of other agents, and what was decided', async () => {
    const [applied, rejected] = [await proposing(600n), await proposing(700n)];
    await policy.vote(owner, applied);
    const by = { $case: 'ownerId', value: owner.ownerId } as const;
    await policy.owners.closeApproval({ approvalId: rejected.approvalId, by });
    const waiting = await proposing(800n);
    expect(await voidBefore(now(), newId())).toBe(0);
    expect(await statesOfProposals([applied, rejected, waiting])).toEqual([
      ...[State.APPROVAL_STATE_APPLIED, State.APPROVAL_STATE_REJECTED, PENDING],
    ]);
    expect(await voidBefore(now())).toBe(1);
    expect(await statesOfProposals([applied, rejected, waiting])).toEqual([
      ...[State.APPROVAL_STATE_APPLIED, State.APPROVAL_STATE_REJECTED, WITHDRAWN],
    ]);
  });
});
