import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { addressOf, isOnCurve } from '@agent-wallet/solana';
import { Authenticator, eventually, type Lies } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { challengeOf, CLAIM, documentOf, NO_CHANGE, OwnersUnderTest } from './owners-under-test.js';
import { newWallet, OWNER_ORIGIN, startTestService } from './service.js';

const State = policyV1.ApprovalState;
const REFUSED = { code: 'ASSERTION_INVALID' };
const LOOSENING = { code: 'POLICY_LOOSENING_NEEDS_OWNER' };

let policy: OwnersUnderTest;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());
afterEach(() => policy.database.shiftClock('0'));

const as = {
  agent: (value = policy.agentId) => ({ $case: 'agentId', value }) as const,
  owner: (value: string) => ({ $case: 'ownerId', value }) as const,
};

describe('a claim', () => {
  it('is signed over the whole policy, and makes the owner a member', async () => {
    const owner = await policy.newOwner();
    await policy.change({ allowTrading: false });
    const approval = await policy.requestClaim(owner.ownerId);
    expect(documentOf(approval)).toMatchObject({
      ...{ type: 'agent-wallet.approval.v1', kind: 'claim', origin: OWNER_ORIGIN, agent: policy.agentId },
      ...{ owner: owner.ownerId, policyVersion: '2', threshold: '1' },
      terms: {
        policy: {
          ...{ maxSingleTransactionInUsd: '100', dailyLimitInUsd: '500', allowedRecipients: [] },
          ...{ allowTrading: 'false', allowLiquidityProvision: 'true', allowPredictionMarkets: 'true' },
          ...{ sessionExpirationHours: '168', approvalLifetimeHours: '24' },
        },
      },
    });
    const { approvalId } = approval;
    const facts = await policy.factsDuring(policy.agentId, async () => {
      expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPLIED);
    });
    expect(facts).toMatchObject([
      { $case: 'memberChanged', value: { ownerId: owner.ownerId, role: 'owner', action: 'added' } },
      {
        $case: 'approvalDecided',
        value: {
          ...{ approvalId, documentHash: challengeOf(approval.document), ownerId: owner.ownerId, outcome: 'applied' },
          ...{ credentialId: owner.authenticator.credentialId, signature: expect.any(Buffer) },
        },
      },
    ]);
    const { agents } = await policy.owners.listAgents({ ownerId: owner.ownerId });
    expect(agents).toMatchObject([{ agentId: policy.agentId, role: 'owner' }]);
  });

  it('needs an owner with a passkey and an agent with a policy', async () => {
    await expect(policy.requestClaim(newId())).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const { ownerId } = await policy.newOwner();
    await expect(policy.requestClaim(ownerId, { agentId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('has no effect when the policy is looser than what was signed', async () => {
    const owner = await policy.newOwner();
    const approval = await policy.requestClaim(owner.ownerId);
    // Past the service, which refuses it now.
    await policy.database.rows(
      'update policies set daily_limit_usd_micros = 900000000, version = version + 1 where agent_id = $1',
      policy.agentId,
    );
    expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_SUPERSEDED);
    expect(await policy.owners.listAgents({ ownerId: owner.ownerId })).toEqual({ agents: [] });
    await policy.change({ dailyLimitUsdMicros: 901_000_000n });
    await policy.vote(owner, await policy.requestClaim(owner.ownerId));
    await expect(policy.change({ dailyLimitUsdMicros: 902_000_000n })).rejects.toMatchObject(LOOSENING);
  });

  it('by a gateway that has no assertion of the owner has no effect', async () => {
    const owner = await policy.newOwner();
    const thief = await policy.newOwner();
    const approval = await policy.requestClaim(owner.ownerId);
    const { approvalId, document } = approval;
    const sent = (ownerId: string, assertionJson: string) => policy.owners.vote({ approvalId, ownerId, assertionJson });
    const own = thief.authenticator.assert(challengeOf(document));
    await expect(sent(owner.ownerId, own)).rejects.toMatchObject(REFUSED);
    await expect(sent(thief.ownerId, own)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(sent(owner.ownerId, '{}')).rejects.toMatchObject(REFUSED);
    const stranger = new Authenticator(OWNER_ORIGIN);
    await expect(sent(owner.ownerId, stranger.assert(challengeOf(document)))).rejects.toMatchObject(REFUSED);
    expect(await policy.policyNow()).toMatchObject({ claimed: false });
  });
});

describe('a vote', () => {
  const lies: ReadonlyArray<[string, Lies]> = [
    ['of another origin', { origin: 'https://evil.test' }],
    ['for another relying party', { rpId: 'evil.test' }],
    ['of another type', { type: 'webauthn.create' }],
    ['over another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['without the user verified', { flags: 1 }],
    ['from a frame', { crossOrigin: true }],
    ['with a counter of before', { signCount: 0 }],
    ['with a changed signature', { afterSigning: ({ signature }) => void (signature[10]! ^= 1) }],
  ];

  it.each(lies)('%s has no effect', async (_, lie) => {
    const owner = await policy.newOwner();
    await policy.vote(owner, await policy.requestClaim(owner.ownerId));
    const approval = await policy.propose({ dailyLimitUsdMicros: 600_000_000n });
    await expect(policy.vote(owner, approval, lie)).rejects.toMatchObject(REFUSED);
    expect(await policy.policyNow()).toMatchObject({ dailyLimitUsdMicros: 500_000_000n });
    expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPLIED);
  });

  it('that was counted for one approval is refused for another, and for the same one', async () => {
    const owner = await policy.newClaim();
    const one = await policy.propose({ dailyLimitUsdMicros: 600_000_000n });
    const other = await policy.propose({ dailyLimitUsdMicros: 700_000_000n });
    const assertionJson = owner.authenticator.assert(challengeOf(one.document));
    const sent = ({ approvalId }: policyV1.Approval) =>
      policy.owners.vote({ approvalId, ownerId: owner.ownerId, assertionJson });
    await expect(sent(other)).rejects.toMatchObject(REFUSED);
    await sent(one);
    await expect(sent(one)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED', data: { state: 'applied' } });
    await expect(sent(other)).rejects.toMatchObject(REFUSED);
    expect(await policy.policyNow()).toMatchObject({ dailyLimitUsdMicros: 600_000_000n });
  });

  it('by the owner of another agent, or by a passkey that was removed, is refused', async () => {
    const owner = await policy.newClaim();
    const mine = policy.agentId;
    await policy.newAgent();
    const other = await policy.newClaim();
    policy.agentId = mine;
    const approval = await policy.propose({ dailyLimitUsdMicros: 600_000_000n });
    await expect(policy.vote(other, approval)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const second = { ownerId: owner.ownerId, authenticator: new Authenticator(OWNER_ORIGIN) };
    await policy.vote(owner, (await policy.addPasskey(second)).approval!);
    const { credentialId } = owner.authenticator;
    await policy.vote(second, (await policy.owners.removePasskey({ ownerId: owner.ownerId, credentialId })).approval!);
    await expect(policy.vote(owner, approval)).rejects.toMatchObject(REFUSED);
    expect(await policy.vote(second, approval)).toBe(State.APPROVAL_STATE_APPLIED);
  });
});

describe('the policy of a claimed agent', () => {
  it('is tightened by the agent, and loosened in no field', async () => {
    await policy.newClaim();
    const { policy: tightened } = await policy.change({ dailyLimitUsdMicros: 400_000_000n, allowTrading: false });
    const own = newWallet().address;
    await expect(
      policy.change({
        ...{ maxSingleTransactionUsdMicros: 1n, dailyLimitUsdMicros: 400_000_001n, allowTrading: true },
        ...{ allowLiquidityProvision: false, sessionExpirationHours: 169 },
      }),
    ).rejects.toMatchObject({
      ...LOOSENING,
      data: {
        loosens: [
          { field: 'dailyLimitInUsd', before: '400', after: '400.000001' },
          { field: 'allowTrading', before: 'false', after: 'true' },
          { field: 'sessionExpirationHours', before: '168', after: '169' },
        ],
        suggestion: expect.stringContaining('owner'),
      },
    });
    expect(await policy.policyNow()).toEqual(tightened);
    const offCurve = Array.from({ length: 100 }, () => addressOf(randomBytes(32))).find((each) => !isOnCurve(each))!;
    for (const entries of [[offCurve], [own, offCurve]]) {
      await expect(policy.change({ allowedRecipients: { entries } })).rejects.toMatchObject(LOOSENING);
    }
    await policy.change({ allowedRecipients: { entries: [own] } });
    const other = newWallet().address;
    await expect(policy.change({ allowedRecipients: { entries: [own, other] } })).rejects.toMatchObject(LOOSENING);
    await expect(policy.change({ allowedRecipients: { entries: [] } })).rejects.toMatchObject(LOOSENING);
  });

  it('is loosened by exactly the change that the owner signed, together with its events', async () => {
    const owner = await policy.newClaim();
    const change = { dailyLimitUsdMicros: 600_000_000n, approvalLifetimeHours: 48, note: 'rent is due "soon"\n' };
    const approval = await policy.propose(change);
    expect(documentOf(approval)).toMatchObject({
      ...{ kind: 'policy', owner: owner.ownerId, agent: policy.agentId, policyVersion: '1' },
      terms: {
        proposer: 'agent',
        note: change.note,
        changes: {
          dailyLimitInUsd: { before: '500', after: '600' },
          approvalLifetimeHours: { before: '24', after: '48' },
        },
      },
    });
    await policy.change({ allowTrading: false });
    const facts = await policy.factsDuring(policy.agentId, () => policy.vote(owner, approval));
    expect(facts.map(({ $case }) => $case)).toEqual(['policyChanged', 'approvalDecided']);
    expect(facts[0]!.value).toEqual({
      ...{ actor: 'owner', approvalId: approval.approvalId },
      changes: [
        { field: 'dailyLimitInUsd', before: '500', after: '600' },
        { field: 'approvalLifetimeHours', before: '24', after: '48' },
      ],
    });
    expect(await policy.policyNow()).toMatchObject({
      ...{ dailyLimitUsdMicros: 600_000_000n, approvalLifetimeHours: 48, allowTrading: false, version: 3n },
    });
  });

  it('is not changed by a program that raises no version', async () => {
    const old = (agentId: string) =>
      policy.database.rows('update policies set daily_limit_usd_micros = 900000000 where agent_id = $1', agentId);
    await old(policy.agentId);
    await policy.newClaim();
    await expect(old(policy.agentId)).rejects.toMatchObject({ code: '23514' });
    await policy.change({ dailyLimitUsdMicros: 800_000_000n });
    expect(await policy.policyNow()).toMatchObject({ dailyLimitUsdMicros: 800_000_000n, version: 2n });
  });

  it('is not changed by a signature over a value that is out of date', async () => {
    const owner = await policy.newClaim();
    const approval = await policy.propose({ dailyLimitUsdMicros: 600_000_000n, allowTrading: false });
    await policy.change({ dailyLimitUsdMicros: 300_000_000n });
    expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_SUPERSEDED);
    expect(await policy.policyNow()).toMatchObject({ dailyLimitUsdMicros: 300_000_000n, allowTrading: true });
  });

  it('of an agent without an owner is changed as before, in both directions', async () => {
    await policy.change({ dailyLimitUsdMicros: 900_000_000n, sessionExpirationHours: 8_760 });
    await policy.change({ dailyLimitUsdMicros: 100_000_000n });
    const { policy: wide } = await policy.change({ dailyLimitUsdMicros: 10n ** 15n, allowedRecipients: undefined });
    expect(wide).toMatchObject({ dailyLimitUsdMicros: 10n ** 15n, sessionExpirationHours: 8_760, version: 4n });
    await expect(policy.propose({ dailyLimitUsdMicros: 1n })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('a proposal', () => {
  it('that is equal to a pending one is the same, and a sixth is refused', async () => {
    const owner = await policy.newClaim();
    const first = await policy.propose({ dailyLimitUsdMicros: 601_000_000n, note: 'one' });
    expect(await policy.propose({ dailyLimitUsdMicros: 601_000_000n, note: 'two' })).toEqual(first);
    for (let n = 2n; n <= 5n; n += 1n) await policy.propose({ dailyLimitUsdMicros: 600_000_000n + n });
    const sixth = { dailyLimitUsdMicros: 700_000_000n };
    await expect(policy.propose(sixth)).rejects.toMatchObject({ data: { rule: 'too_many_approvals' } });
    const again = await policy.propose({ dailyLimitUsdMicros: 601_000_000n, ownerId: owner.ownerId });
    expect(again.approvalId).not.toBe(first.approvalId);
    await policy.owners.closeApproval({ approvalId: first.approvalId, by: as.agent() });
    await policy.propose(sixth);
    const withdrawn = policy.owners.closeApproval({ approvalId: again.approvalId, by: as.agent() });
    await expect(withdrawn).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is refused when it changes nothing, is out of bounds, or has a long note', async () => {
    const { ownerId } = await policy.newClaim();
    const wrong: ReadonlyArray<Partial<policyV1.PolicyChangeRequest>> = [
      {},
      { dailyLimitUsdMicros: 500_000_000n },
      { approvalLifetimeHours: 169 },
      { approvalLifetimeHours: 0 },
      { allowTrading: false, note: 'x'.repeat(257) },
    ];
    for (const each of wrong) await expect(policy.propose(each)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await policy.propose({ allowTrading: false, note: 'x'.repeat(256), ownerId });
    const foreign = policy.propose({ allowTrading: false, ownerId: newId() });
    await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is seen and closed only by its agent and its owners', async () => {
    const owner = await policy.newClaim();
    const { approvalId } = await policy.propose({ dailyLimitUsdMicros: 600_000_000n });
    for (const viewer of [as.agent(newId()), as.owner(newId())]) {
      await expect(policy.owners.getApproval({ approvalId, viewer })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const closing = policy.owners.closeApproval({ approvalId, by: viewer });
      await expect(closing).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    for (const viewer of [as.agent(), as.owner(owner.ownerId)]) {
      expect((await policy.owners.getApproval({ approvalId, viewer })).approval?.approvalId).toBe(approvalId);
    }
    const facts = await policy.factsDuring(policy.agentId, () =>
      policy.owners.closeApproval({ approvalId, by: as.owner(owner.ownerId) }),
    );
    expect(facts).toEqual([
      { $case: 'approvalClosed', value: { approvalId, kind: 'policy', state: 'rejected', ownerId: owner.ownerId } },
    ]);
  });

  it('is listed by pages, the latest first, and by its state', async () => {
    const owner = await policy.newClaim();
    const ids: string[] = [];
    for (let n = 1n; n <= 3n; n += 1n) {
      ids.unshift((await policy.propose({ dailyLimitUsdMicros: 600_000_000n + n })).approvalId);
    }
    await policy.owners.closeApproval({ approvalId: ids[1]!, by: as.agent() });
    const list = async (viewer: policyV1.ListApprovalsRequest['viewer'], state = State.APPROVAL_STATE_UNSPECIFIED) =>
      (await policy.owners.listApprovals({ viewer, state, cursor: '' })).approvals.map(({ approvalId }) => approvalId);
    expect((await list(as.agent())).slice(0, 3)).toEqual(ids);
    expect(await list(as.owner(owner.ownerId), State.APPROVAL_STATE_PENDING)).toEqual([ids[0], ids[2]]);
    expect(await list(as.agent(), State.APPROVAL_STATE_WITHDRAWN)).toEqual([ids[1]]);
    expect(await list(as.owner(newId()))).toEqual([]);
    const after = { viewer: as.agent(), state: State.APPROVAL_STATE_UNSPECIFIED, cursor: ids[1]! };
    expect((await policy.owners.listApprovals(after)).approvals[0]?.approvalId).toBe(ids[2]);
    const one = await policy.owners.listApprovals({ ...after, cursor: '', limit: 1 });
    expect([one.approvals.map(({ approvalId }) => approvalId), one.nextCursor]).toEqual([[ids[0]], ids[0]]);
    for (const wrong of [{ cursor: 'x' }, { limit: 0 }, { limit: 101 }]) {
      const asked = policy.owners.listApprovals({ ...after, ...wrong });
      await expect(asked).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });
});

describe('an approval', () => {
  it('can be voted on for its lifetime, to the second, by the clock of the database', async () => {
    const owner = await policy.newClaim();
    await policy.vote(owner, await policy.propose({ approvalLifetimeHours: 2 }));
    const early = await policy.propose({ dailyLimitUsdMicros: 600_000_000n });
    const late = await policy.propose({ dailyLimitUsdMicros: 700_000_000n });
    expect(early.expiresAtMs - early.askedAtMs).toBe(7_200_000n);
    const at = (ms: bigint) => policy.database.stopClock(new Date(Number(ms)).toISOString());
    await at(late.expiresAtMs);
    await expect(policy.vote(owner, late)).rejects.toMatchObject({ data: { state: 'expired' } });
    await at(late.expiresAtMs + 1_000n);
    await expect(policy.vote(owner, late)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
    const { approvalId } = late;
    const { approval } = await policy.owners.getApproval({ approvalId, viewer: as.agent() });
    expect(approval?.state).toBe(State.APPROVAL_STATE_EXPIRED);
    expect(await policy.policyNow()).toMatchObject({ dailyLimitUsdMicros: 500_000_000n });
  });

  it('can be voted on one second before its end, however wrong the clock of the process is', async () => {
    const owner = await policy.newClaim();
    const approval = await policy.propose({ dailyLimitUsdMicros: 600_000_000n });
    policy.service.passTime(100 * 86_400_000);
    await policy.database.stopClock(new Date(Number(approval.expiresAtMs) - 1_000).toISOString());
    expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPLIED);
    policy.service.passTime(-100 * 86_400_000);
  });

  it('is published as expired by the sweeper, once', async () => {
    await policy.newClaim();
    const facts = await policy.factsDuring(policy.agentId, async () => {
      const { approvalId, expiresAtMs } = await policy.propose({ dailyLimitUsdMicros: 600_000_000n });
      await policy.database.stopClock(new Date(Number(expiresAtMs) + 1_000).toISOString());
      await eventually(async () => {
        const rows = await policy.database.rows('select state from approvals where id = $1', approvalId);
        return rows[0]?.state === 'expired';
      });
    });
    expect(facts.map(({ $case }) => $case)).toEqual(['approvalRequested', 'approvalClosed']);
    expect(facts[1]!.value).toMatchObject({ state: 'expired' });
  });
});

describe('a recovery', () => {
  it('supersedes what was pending, which can be requested again', async () => {
    const owner = await policy.newClaim();
    const change = { dailyLimitUsdMicros: 600_000_000n };
    const approval = await policy.propose(change);
    try {
      await policy.database.rows("select start_recovery('a test', policy.now())");
      await expect(policy.vote(owner, approval)).rejects.toMatchObject({ data: { state: 'superseded' } });
      const { approvalId } = approval;
      const read = await policy.owners.getApproval({ approvalId, viewer: as.agent() });
      expect(read.approval!.decidedAtMs).toBeGreaterThan(0n);
      expect(await policy.vote(owner, await policy.propose(change))).toBe(State.APPROVAL_STATE_APPLIED);
    } finally {
      await policy.database.rows('delete from recoveries');
    }
  });
});

describe('a deployment without an origin of owners', () => {
  it('refuses every write, and answers reads', async () => {
    const bare = await startTestService({ hasOwners: false });
    try {
      const owners = await bare.ownersAs('gateway');
      const ownerId = newId();
      const viewer = { $case: 'ownerId', value: ownerId } as const;
      const writes = [
        owners.createPasskeyChallenge({ ownerId }),
        owners.addPasskey({ ownerId, registrationJson: '{}' }),
        owners.removePasskey({ ownerId, credentialId: Buffer.alloc(32) }),
        owners.createLoginChallenge({}),
        owners.verifyLogin({ document: Buffer.alloc(0), assertionJson: '{}' }),
        owners.requestApproval({
          request: { $case: 'claim', value: { agentId: newId(), ownerId, ...CLAIM } },
        }),
        owners.vote({ approvalId: newId(), ownerId, assertionJson: '{}' }),
        owners.closeApproval({ approvalId: newId(), by: viewer }),
        owners.tightenPolicy({ change: { ...NO_CHANGE, agentId: newId(), ownerId } }),
      ];
      for (const write of writes) await expect(write).rejects.toMatchObject({ code: 'OWNERS_NOT_CONFIGURED' });
      expect(await owners.listPasskeys({ ownerId })).toEqual({ passkeys: [] });
      expect(await owners.listAgents({ ownerId })).toEqual({ agents: [] });
    } finally {
      await bare.stop();
    }
  });
});
