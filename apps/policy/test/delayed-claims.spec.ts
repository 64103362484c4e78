import { policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';

const State = policyV1.ApprovalState;
const LOOSENING = { code: 'POLICY_LOOSENING_NEEDS_OWNER' };
const DAY_MS = 86_400_000n;
const SOME = { holdsNothing: false };

let policy: OwnersUnderTest;
let owner: TestOwner;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  owner = await policy.newOwner();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());
afterEach(() => policy.database.shiftClock('0'));

const agents = async ({ ownerId }: TestOwner) =>
  (await policy.owners.listAgents({ ownerId })).agents.map(({ agentId }) => agentId);
const approvalNow = async ({ approvalId, ownerId }: policyV1.Approval) => {
  const viewer = { $case: 'ownerId', value: ownerId } as const;
  return (await policy.owners.getApproval({ approvalId, viewer })).approval!;
};
const cancel = async () => (await policy.owners.cancelClaims({ agentId: policy.agentId })).cancelled;
/** Has the owner sign the claim of an agent that holds something. */
async function signed(by = owner): Promise<policyV1.Approval> {
  const claim = await policy.requestClaim(by.ownerId, SOME);
  expect(await policy.vote(by, claim)).toBe(State.APPROVAL_STATE_APPROVED);
  return approvalNow(claim);
}
const ended = async (claim: policyV1.Approval) =>
  (
    await eventually(
      () => approvalNow(claim),
      ({ state }) => state !== State.APPROVAL_STATE_APPROVED,
    )
  ).state;

/** Copies an approval more often than are read at once. */
const COPIES = `insert into approvals select (jsonb_populate_record(a, jsonb_build_object(
    'id', gen_random_uuid(), 'owner_id', gen_random_uuid(), 'document_hash', '\\x' || encode(sha256(n::text::bytea), 'hex')))).*
  from approvals a, generate_series(1, 120) as n where a.id = $1`;

describe('claims that cannot take effect', () => {
  it('hold back no other one that is due after them, however many they are', async () => {
    const broken = await signed();
    await policy.database.rows(`update approvals set document = 'x' where id = $1`, broken.approvalId);
    await policy.database.rows(COPIES, broken.approvalId);
    await policy.database.shiftClock('1 second');
    await policy.newAgent();
    const good = await signed();
    await policy.database.shiftClock('25 hours');
    expect(await ended(good)).toBe(State.APPROVAL_STATE_APPLIED);
    await policy.database.rows('delete from votes where approval_id = $1', broken.approvalId);
    await policy.database.rows(`delete from approvals where document = 'x'`);
  });
});

describe('the delay of a claim', () => {
  it.each([
    ['holds nothing, in its first hour', { holdsNothing: true }, '59 minutes', '0'],
    ['holds nothing, after that', { holdsNothing: true }, '61 minutes', '24'],
    ['holds something, in its first hour', SOME, '0', '24'],
  ])('of an agent that %s', async (_, claim, age, delayHours) => {
    await policy.database.shiftClock(age);
    expect(documentOf(await policy.requestClaim(owner.ownerId, claim))).toMatchObject({ terms: { delayHours } });
  });

  it('leaves ten minutes for the signature where there is none: later the agent may hold something', async () => {
    const { askedAtMs, expiresAtMs } = await policy.requestClaim(owner.ownerId);
    expect(expiresAtMs - askedAtMs).toBe(600_000n);
    const later = await policy.requestClaim(owner.ownerId, SOME);
    expect(later.expiresAtMs - later.askedAtMs).toBe(DAY_MS);
  });

  it('ends a day after the signature, to the second', async () => {
    const claim = await policy.requestClaim(owner.ownerId, SOME);
    const facts = await policy.factsDuring(policy.agentId, async () => {
      expect(await policy.vote(owner, claim)).toBe(State.APPROVAL_STATE_APPROVED);
    });
    const { effectiveAtMs, decidedAtMs } = await approvalNow(claim);
    expect(effectiveAtMs - decidedAtMs).toBe(DAY_MS);
    expect(facts).toMatchObject([{ $case: 'approvalDecided', value: { outcome: 'approved', effectiveAtMs } }]);
    expect(await agents(owner)).not.toContain(policy.agentId);

    await policy.database.shiftClock('24 hours - 2 seconds');
    expect(await policy.policyNow()).toMatchObject({ claimed: false });
    const effect = await policy.factsDuring(policy.agentId, async () => {
      await policy.database.shiftClock('24 hours');
      expect(await ended(claim)).toBe(State.APPROVAL_STATE_APPLIED);
    });
    expect(effect).toMatchObject([
      { $case: 'memberChanged', value: { ownerId: owner.ownerId, action: 'added' } },
      { $case: 'approvalClosed', value: { approvalId: claim.approvalId, state: 'applied' } },
    ]);
    expect(await agents(owner)).toContain(policy.agentId);
    expect(await policy.policyNow()).toMatchObject({ claimed: true });
  });

  it('does not end when the day of the signature has passed, which bounds the signature alone', async () => {
    const claim = await policy.requestClaim(owner.ownerId, SOME);
    await policy.database.shiftClock('23 hours');
    await policy.vote(owner, claim);
    await policy.database.shiftClock('46 hours');
    expect(await approvalNow(claim)).toMatchObject({ state: State.APPROVAL_STATE_APPROVED });
    await policy.database.shiftClock('47 hours');
    expect(await ended(claim)).toBe(State.APPROVAL_STATE_APPLIED);
  });
});

describe('a signed claim that is not in effect', () => {
  it('is cancelled by the agent’s mailbox, and then has no effect', async () => {
    const claim = await signed();
    const facts = await policy.factsDuring(policy.agentId, async () => expect(await cancel()).toBe(1));
    expect(facts).toMatchObject([{ $case: 'approvalClosed', value: { state: 'withdrawn' } }]);
    expect(await cancel()).toBe(0);
    await policy.database.shiftClock('25 hours');
    await expect(policy.change({ dailyLimitUsdMicros: 900_000_000n })).resolves.toBeDefined();
    expect(await approvalNow(claim)).toMatchObject({ state: State.APPROVAL_STATE_WITHDRAWN });
    expect(await agents(owner)).not.toContain(policy.agentId);
  });

  it('is cancelled before it is signed, too, and its signature comes too late', async () => {
    const claim = await policy.requestClaim(owner.ownerId, SOME);
    expect(await cancel()).toBe(1);
    await expect(policy.vote(owner, claim)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
  });

  it('cannot be cancelled once it is in effect', async () => {
    const claim = await signed();
    await policy.database.shiftClock('24 hours');
    await cancel();
    expect(await ended(claim)).toBe(State.APPROVAL_STATE_APPLIED);
    expect(await cancel()).toBe(0);
    expect(await agents(owner)).toContain(policy.agentId);
  });

  it('is taken back by its owner', async () => {
    const { approvalId, ownerId } = await signed();
    await policy.owners.closeApproval({ approvalId, by: { $case: 'ownerId', value: ownerId } });
    await policy.database.shiftClock('25 hours');
    await expect(policy.change({ dailyLimitUsdMicros: 900_000_000n })).resolves.toBeDefined();
  });

  it('is hidden from the token, which can only tighten', async () => {
    const { approvalId } = await signed();
    const viewer = { $case: 'agentId', value: policy.agentId } as const;
    await expect(policy.owners.getApproval({ approvalId, viewer })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(policy.change({ dailyLimitUsdMicros: 900_000_000n })).rejects.toMatchObject(LOOSENING);
    await policy.change({ dailyLimitUsdMicros: 40_000_000n, maxSingleTransactionUsdMicros: 40_000_000n });
    await policy.database.shiftClock('24 hours');
    await eventually(
      () => policy.policyNow(),
      ({ claimed }) => claimed,
    );
    expect(await policy.policyNow()).toMatchObject({ dailyLimitUsdMicros: 40_000_000n });
  });

  it('comes first when it was signed first; the others have no effect', async () => {
    const other = await policy.newOwner();
    const [first, second] = [await signed(), await signed(other)];
    await policy.database.shiftClock('24 hours 1 minute');
    expect([await ended(first), await ended(second)]).toEqual([
      State.APPROVAL_STATE_APPLIED,
      State.APPROVAL_STATE_SUPERSEDED,
    ]);
    expect(await agents(other)).not.toContain(policy.agentId);
  });

  it('is the answer to the same request, and cannot be signed twice', async () => {
    const claim = await signed();
    expect(await policy.requestClaim(owner.ownerId, SOME)).toEqual(claim);
    await expect(policy.vote(owner, claim)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
  });

  it('has one end when the mailbox cancels as it takes effect', async () => {
    const claim = await signed();
    const [cancelled] = await Promise.all([cancel(), policy.database.shiftClock('24 hours')]);
    const state = await ended(claim);
    expect(state).toBe(cancelled === 1 ? State.APPROVAL_STATE_WITHDRAWN : State.APPROVAL_STATE_APPLIED);
    expect((await agents(owner)).includes(policy.agentId)).toBe(cancelled === 0);
  });
});

describe('an owner whom the agent named at its first login', () => {
  it('claims without delay, at any age', async () => {
    await policy.newAgent(owner.ownerId);
    await policy.database.shiftClock('30 days');
    const claim = await policy.requestClaim(owner.ownerId, SOME);
    expect(await policy.vote(owner, claim)).toBe(State.APPROVAL_STATE_APPLIED);
  });

  it('is the only one who claims, also when later calls name another', async () => {
    await policy.newAgent(owner.ownerId);
    const stranger = await policy.newOwner();
    await policy.gateway.createPolicy({ agentId: policy.agentId, namedOwnerId: stranger.ownerId });
    await expect(policy.requestClaim(stranger.ownerId)).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'named_owner' },
    });
    await policy.newAgent();
    await policy.gateway.createPolicy({ agentId: policy.agentId, namedOwnerId: owner.ownerId });
    await expect(policy.requestClaim(stranger.ownerId)).resolves.toBeDefined();
  });
});
