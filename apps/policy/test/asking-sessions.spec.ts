import { newId } from '@agent-wallet/kernel';
import { inRequest, type RequestContext } from '@agent-wallet/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { authorization, newWallet, type PolicyClient, transferIntent } from './service.js';

const USD = 1_000_000n;

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
});

const CHANGE = { dailyLimitUsdMicros: 600n * USD };
const loggedInAtMs = Date.UTC(2026, 10, 26, 12);
const loggedInAt = '2026-11-26T12:00:00.000Z';
const ASKING = { askedBy: 'agent', askedFrom: '203.0.113.0/24', loggedInAtMs };

/** Works as the agent's request that the gateway passes on. */
const asking = <T>(context: Partial<RequestContext>, work: () => Promise<T>): Promise<T> =>
  inRequest({ requestId: newId(), ...context }, work);
const proposing = (context: Partial<RequestContext>) => asking(context, () => policy.propose(CHANGE));

/** The document of a payment's approval, which the wallet asks for. */
async function paying(context: Partial<RequestContext>): Promise<Record<string, unknown>> {
  await policy.change({ approveAbove: { usdMicros: USD } });
  const intent = transferIntent(newWallet().address, { amount: 2n * USD });
  const { request } = authorization(policy.agentId, intent);
  return documentOf(await asking(context, () => policy.awaiting(wallet, request, owner)));
}

describe.each([
  ['a proposal', async (context: Partial<RequestContext>) => documentOf(await proposing(context))],
  ['an operation', paying],
])('the document of %s', (_what, documentIn) => {
  it.each(['203.0.113.0/24', '2001:db8:1::/48'])('names the session that asked, from %s', async (network) => {
    const { session } = await documentIn({ ...ASKING, askedFrom: network });
    expect(session).toEqual({ loggedInAt, network });
  });

  it.each([
    ['no network', undefined],
    ['a network that is text', 'home'],
    ['an address', '203.0.113.7'],
  ])('names %s', async (_network, askedFrom) => {
    expect((await documentIn({ ...ASKING, askedFrom })).session).toEqual({ loggedInAt });
  });

  it('names no session that is not known', async () => {
    expect(await documentIn({ askedBy: 'agent', askedFrom: '203.0.113.0/24' })).not.toHaveProperty('session');
    expect(await documentIn({})).not.toHaveProperty('session');
  });

  it.each([-1, 1.5, 8.7e15])('names no session of a login at %s', async (atMs) => {
    expect(await documentIn({ ...ASKING, loggedInAtMs: atMs })).not.toHaveProperty('session');
  });
});

it('the document of an owner’s proposal names no session', async () => {
  const context = { ...ASKING, askedBy: `owner ${owner.ownerId}` };
  const approval = await asking(context, () => policy.propose({ ...CHANGE, ownerId: owner.ownerId }));
  expect(documentOf(approval)).not.toHaveProperty('session');
});

describe('a proposal that was under way while all sessions ended', () => {
  const evictedAt = (atMs: number) =>
    policy.owners.voidOperations({ agentId: policy.agentId, askedBeforeMs: BigInt(atMs), endedTokenIds: [] });
  const stateOf = async (approvalId: string) => {
    const [row] = await policy.database.rows<{ state: string }>(
      'select state from approvals where id = $1',
      approvalId,
    );
    return row!.state;
  };

  it('is refused, and nothing waits', async () => {
    await evictedAt(loggedInAtMs + 2_001);
    const refused = { code: 'AUTHENTICATION_ERROR', data: { reason: 'revoked' } };
    await expect(proposing(ASKING)).rejects.toMatchObject(refused);
    const kept = await policy.database.rows(
      "select from approvals where agent_id = $1 and kind = 'policy'",
      policy.agentId,
    );
    expect(kept).toEqual([]);
  });

  it('is withdrawn when it came after their end, but before policy heard of that', async () => {
    const { approvalId } = await proposing(ASKING);
    await evictedAt(loggedInAtMs + 2_001);
    expect(await stateOf(approvalId)).toBe('withdrawn');
  });

  it('is not withdrawn when a login after their end asked for it', async () => {
    const { approvalId } = await proposing(ASKING);
    await evictedAt(loggedInAtMs + 2_000);
    expect(await stateOf(approvalId)).toBe('pending');
  });

  it('is not refused to a login after it, also within the precision of clocks', async () => {
    await evictedAt(loggedInAtMs + 2_000);
    expect(await proposing(ASKING)).toHaveProperty('approvalId');
  });
});

describe('a scoped token', () => {
  const withdraw = (approvalId: string, tokenId: string | undefined) =>
    asking({ ...ASKING, tokenId }, () =>
      policy.owners.closeApproval({ approvalId, by: { $case: 'agentId', value: policy.agentId } }),
    );

  it('withdraws what it asked for itself, and nothing of a session or of another token', async () => {
    const [one, two] = [newId(), newId()];
    const ask = (tokenId: string | undefined, usd: bigint) =>
      asking({ ...ASKING, tokenId }, () => policy.propose({ dailyLimitUsdMicros: usd * 1_000_000n }));
    const [ofSession, ofOne] = [await ask(undefined, 700n), await ask(one, 800n)];
    for (const { approvalId } of [ofSession, ofOne]) {
      await expect(withdraw(approvalId, two)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect((await withdraw(ofOne.approvalId, one)).approval).toMatchObject({ approvalId: ofOne.approvalId });
    expect((await withdraw(ofSession.approvalId, undefined)).approval).toMatchObject({
      approvalId: ofSession.approvalId,
    });
  });
});
