import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { newWallet } from './service.js';

const { APPROVAL_STATE_APPLIED: APPLIED } = policyV1.ApprovalState;
const DAY_OF_REQUESTS = 50;

let policy: OwnersUnderTest;
beforeAll(async () => {
  policy = await OwnersUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

describe('an owner’s own change', () => {
  it('is in effect at once when it tightens, and is published', async () => {
    const { ownerId } = await policy.newClaim();
    const facts = await policy.factsDuring(policy.agentId, async () => {
      const tightened = await policy.tighten(ownerId, { dailyLimitUsdMicros: 400_000_000n, allowTrading: false });
      expect(tightened).toMatchObject({ dailyLimitUsdMicros: 400_000_000n, allowTrading: false, version: 2n });
    });
    const changes = expect.any(Array);
    expect(facts).toEqual([{ $case: 'policyChanged', value: { changes, actor: 'owner', approvalId: undefined } }]);
    expect(await policy.policyNow()).toMatchObject({ dailyLimitUsdMicros: 400_000_000n, claimed: true });
  });

  it('switches the login by mail off at once, and on again with a signature alone', async () => {
    const { ownerId } = await policy.newClaim();
    await policy.tighten(ownerId, { allowMailLogin: false });
    expect(await policy.policyNow()).toMatchObject({ allowMailLogin: false });
    const refused = { code: 'POLICY_LOOSENING_NEEDS_OWNER', data: { loosens: [{ field: 'allowMailLogin' }] } };
    await expect(policy.tighten(ownerId, { allowMailLogin: true })).rejects.toMatchObject(refused);
    expect(await policy.policyNow()).toMatchObject({ allowMailLogin: false });
  });

  it.each([
    ['loosens', { dailyLimitUsdMicros: 600_000_000n }, ['dailyLimitInUsd']],
    [
      'tightens and loosens',
      { dailyLimitUsdMicros: 1_000_000n, sessionExpirationHours: 169 },
      ['sessionExpirationHours'],
    ],
    ['sets a field that only a signature sets', { approvalLifetimeHours: 1 }, ['approvalLifetimeHours']],
  ])('has no effect when it %s', async (_, change, fields) => {
    const { ownerId } = await policy.newClaim();
    const before = await policy.policyNow();
    const refused: unknown = await policy.tighten(ownerId, change).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'POLICY_LOOSENING_NEEDS_OWNER',
      data: { loosens: fields.map((field) => expect.objectContaining({ field })) },
    });
    expect(await policy.policyNow()).toEqual(before);
  });

  it('is refused for an agent of another, also from a gateway that lies about the owner', async () => {
    await policy.newClaim();
    const before = await policy.policyNow();
    const stranger = await policy.newOwner();
    for (const ownerId of [stranger.ownerId, newId()]) {
      await expect(policy.tighten(ownerId, { dailyLimitUsdMicros: 1n })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(policy.tighten('', { dailyLimitUsdMicros: 1n })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await policy.policyNow()).toEqual(before);
  });
});

describe('a claim', () => {
  it('says in what the owner signs whether the agent’s sessions go on', async () => {
    const { ownerId } = await policy.newOwner();
    const ending = await policy.requestClaim(ownerId);
    const keeping = await policy.requestClaim(ownerId, { keepSessions: true });
    expect(documentOf(ending)).toMatchObject({ terms: { keepSessions: 'false' } });
    expect(documentOf(keeping)).toMatchObject({ terms: { keepSessions: 'true' } });
    expect((await policy.requestClaim(ownerId)).approvalId).toBe(ending.approvalId);
  });

  it('names the wallet and the mailbox of the agent in what the owner signs', async () => {
    const { ownerId } = await policy.newOwner();
    const named = { wallet: newWallet().address, email: 'mine@example.com' };
    expect(documentOf(await policy.requestClaim(ownerId, named))).toMatchObject({ terms: named });
  });

  it('shows in the policy', async () => {
    expect(await policy.policyNow()).toMatchObject({ claimed: false });
    await policy.newClaim();
    expect(await policy.policyNow()).toMatchObject({ claimed: true });
  });
});

describe('a flood of requests', () => {
  const TOO_MANY = { code: 'POLICY_VIOLATION', data: { rule: 'too_many_approvals' } };
  let owner: TestOwner;

  /** Requests that were made before and closed, as many as fit into a day but one. */
  async function earlier(
    one: () => Promise<policyV1.Approval>,
    by: { agentId: string } | { ownerId: string },
    requests = DAY_OF_REQUESTS - 1,
  ) {
    const { approvalId } = await one();
    const viewer =
      'agentId' in by
        ? ({ $case: 'agentId', value: by.agentId } as const)
        : ({ $case: 'ownerId', value: by.ownerId } as const);
    await policy.owners.closeApproval({ approvalId, by: viewer });
    await policy.database.rows(
      `insert into approvals (id, kind, agent_id, owner_id, document, document_hash, threshold, state, asked_at, expires_at)
       select gen_random_uuid(), kind, agent_id, owner_id, document, uuid_send(gen_random_uuid()), threshold, state,
         asked_at, expires_at from approvals, generate_series(1, $2) where id = $1`,
      approvalId,
      requests - 1,
    );
  }

  beforeEach(async () => {
    owner = await policy.newClaim();
  });

  it('ends for an agent that proposes and withdraws, and not for its owner', async () => {
    const propose = (dailyLimitUsdMicros: bigint) => policy.propose({ dailyLimitUsdMicros });
    await earlier(() => propose(600_000_000n), { agentId: policy.agentId });
    const last = await propose(601_000_000n);
    await expect(propose(602_000_000n)).rejects.toMatchObject(TOO_MANY);
    expect((await propose(601_000_000n)).approvalId).toBe(last.approvalId);
    const byOwner = await policy.propose({ ownerId: owner.ownerId, dailyLimitUsdMicros: 700_000_000n });
    expect(await policy.vote(owner, byOwner)).toBe(APPLIED);
    await policy.database.rows(
      `update approvals set asked_at = asked_at - interval '24 hours' where agent_id = $1`,
      policy.agentId,
    );
    await expect(propose(702_000_000n)).resolves.toMatchObject({ agentId: policy.agentId });
  });

  it('ends for an owner who claims other agents and rejects, and not for the agents', async () => {
    const owned = policy.agentId;
    await policy.newAgent();
    const claim = () => policy.requestClaim(owner.ownerId);
    await policy.database.rows(
      'delete from votes using approvals a where approval_id = a.id and a.owner_id = $1',
      owner.ownerId,
    );
    await policy.database.rows('delete from approvals where owner_id = $1', owner.ownerId);
    // What was closed counts a tenth, so that it takes long to keep the owner out.
    await earlier(claim, { ownerId: owner.ownerId }, 10 * DAY_OF_REQUESTS - 1);
    await claim();
    await policy.newAgent();
    await expect(claim()).rejects.toMatchObject(TOO_MANY);
    policy.agentId = owned;
    await expect(policy.propose({ dailyLimitUsdMicros: 800_000_000n })).resolves.toMatchObject({ agentId: owned });
    await expect(policy.propose({ ownerId: owner.ownerId, dailyLimitUsdMicros: 801_000_000n })).rejects.toMatchObject(
      TOO_MANY,
    );
  });
});
