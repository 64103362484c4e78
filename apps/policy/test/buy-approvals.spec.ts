import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { documentOf, OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { authorization, escrowIntent, newWallet, type PolicyClient } from './service.js';

const State = policyV1.ApprovalState;
const USD = 1_000_000n;
/** Value of the usual escrow. */
const VALUE = USD;

let policy: OwnersUnderTest;
let wallet: PolicyClient;
let owner: TestOwner;
let own: string;

beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  wallet = await policy.service.as('wallet');
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
  own = newWallet().address;
});

const reserved = async () => (await policy.gateway.getUsage({ agentId: policy.agentId })).reservedUsdMicros;
const asked = (intent = escrowIntent(own)) => authorization(policy.agentId, intent).request;
const approveAbove = (usdMicros: bigint) => policy.change({ approveAbove: { usdMicros } });
const viewer = () => ({ $case: 'ownerId', value: owner.ownerId }) as const;

/** Asks for a permit, which needs an approval. */
const awaiting = (request: policyV1.AuthorizeRequest) => policy.awaiting(wallet, request, owner);

const stateOf = async ({ approvalId }: policyV1.Approval) =>
  (await policy.owners.getApproval({ approvalId, viewer: viewer() })).approval!.state;

/** A buy above the amount, and its signed approval. */
async function approved() {
  await approveAbove(VALUE / 2n);
  const request = asked();
  const approval = await awaiting(request);
  expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPROVED);
  return { request, approval };
}

/** Builds a later attempt of the same buy, planned again with other terms. */
function again(request: policyV1.AuthorizeRequest, change: Partial<intentV1.EscrowOrder>): policyV1.AuthorizeRequest {
  const { order } = (request.intent!.action as { value: intentV1.Escrow }).value;
  const changed = { ...order!, ...change };
  const intent = escrowIntent(own, { amount: changed.maxCostUsdMicros, order: changed });
  return { ...asked(intent), operationId: request.operationId };
}

describe('a buy above the amount', () => {
  it('waits for an owner, whose document names market, side, contracts, price and cost, and holds nothing', async () => {
    await approveAbove(VALUE);
    expect(await wallet.authorize(asked())).toMatchObject({ reservedUsdMicros: VALUE });
    // Another market: what was bought in one does not count in another.
    const order = { ticker: 'KXFED-26DEC-T4', side: 'no', count: 250n, maxPriceUsdMicros: 390_000n };
    await approveAbove(VALUE - 1n);
    const request = asked(escrowIntent(own, { order: { ...order, maxCostUsdMicros: USD } }));
    const approval = await awaiting(request);
    expect((await awaiting(request)).approvalId).toBe(approval.approvalId);
    expect(documentOf(approval)).toMatchObject({
      ...{ kind: 'operation', operation: request.operationId, wallet: own, action: 'prediction_buy' },
      ...{ valueUsd: '1', reasons: ['above_amount'] },
      terms: { ticker: 'KXFED-26DEC-T4', side: 'no', count: '2.5', maxPriceUsd: '0.39', maxCostUsd: '1' },
    });
    expect(await reserved()).toBe(VALUE);
  });

  it('is reserved once it is approved, for that operation alone', async () => {
    const { request, approval } = await approved();
    expect(await reserved()).toBe(0n);
    for (let n = 0; n < 2; n += 1) expect(await wallet.authorize(request)).toMatchObject({ reservedUsdMicros: VALUE });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_USED);
    expect(await reserved()).toBe(VALUE);
    await awaiting(asked());
  });

  it('is permitted within its terms: at a lower price, and for less', async () => {
    const { request, approval } = await approved();
    const better = again(request, { maxPriceUsdMicros: 449_999n, maxCostUsdMicros: USD - 1n });
    for (let n = 0; n < 2; n += 1) expect(await wallet.authorize(better)).toHaveProperty('permit');
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_USED);
  });

  it.each<[string, Partial<intentV1.EscrowOrder>]>([
    ['in another market', { ticker: 'KXHIGHNY-26NOV28-B42' }],
    ['of the other side', { side: 'no' }],
    ['of more contracts', { count: 201n }],
    ['of fewer contracts', { count: 199n }],
    ['at a higher price', { maxPriceUsdMicros: 450_001n }],
    ['for more', { maxCostUsdMicros: USD + 1n }],
  ])('is not permitted %s', async (_, change) => {
    const { request, approval } = await approved();
    const other = wallet.authorize(again(request, change));
    await expect(other).rejects.toMatchObject({ code: 'PERMIT_CONFLICT', data: { reason: 'other_terms' } });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_APPROVED);
    expect(await reserved()).toBe(0n);
    expect(await wallet.authorize(request)).toMatchObject({ reservedUsdMicros: VALUE });
  });

  it('is void once its market is not listed any more', async () => {
    const { request, approval } = await approved();
    await policy.change({ allowedMarkets: { list: { entries: ['KXFED'] } } });
    const rule = 'market_not_allowed';
    await expect(wallet.authorize(request)).rejects.toMatchObject({ code: 'POLICY_VIOLATION', data: { rule } });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_VOID);
    expect(await reserved()).toBe(0n);
  });

  it('is asked for as a dry run says, which requests none', async () => {
    await approveAbove(VALUE - 1n);
    const { agentId } = policy;
    expect(await wallet.dryRunAuthorize({ agentId, intent: escrowIntent(own) })).toMatchObject({
      ...{ allowed: true, rule: '', valueUsdMicros: VALUE, approval: { reasons: ['above_amount'] } },
    });
    const kept = await policy.database.rows(
      "select from approvals where agent_id = $1 and kind = 'operation'",
      agentId,
    );
    expect(kept).toEqual([]);
  });
});

describe('a buy that was permitted before an owner set a lower amount', () => {
  it('is not permitted again, as it is too late to ask, and the refusal says no way around', async () => {
    const request = asked();
    await wallet.authorize(request);
    await approveAbove(VALUE - 1n);
    const data = { rule: 'above_amount', suggestion: 'Ask the owner to change approveAboveInUsd.' };
    await expect(wallet.authorize(request)).rejects.toMatchObject({ code: 'POLICY_VIOLATION', data });
    expect(await reserved()).toBe(VALUE);
  });
});
