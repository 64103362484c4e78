import type { intentV1 } from '@agent-wallet/contracts';
import { policyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnersUnderTest, type TestOwner } from './owners-under-test.js';
import { addIntent, newPool, removeIntent, type TestPool } from './pools.js';
import { authorization, newWallet, type PolicyClient } from './service.js';

const State = policyV1.ApprovalState;
/** Value of the usual addition. */
const VALUE = 20_100_000n;

let policy: OwnersUnderTest;
let swap: PolicyClient;
let owner: TestOwner;
let own: string;
let pool: TestPool;

beforeAll(async () => {
  policy = await OwnersUnderTest.start();
  swap = await policy.service.as('swap');
  pool = newPool(policy.service.world);
});
afterAll(() => policy.stop());
beforeEach(async () => {
  await policy.newAgent();
  owner = await policy.newClaim();
  own = newWallet().address;
});

const usage = () => policy.gateway.getUsage({ agentId: policy.agentId });
const asked = (intent: intentV1.Intent = addIntent(own, pool)) => authorization(policy.agentId, intent).request;
const approveAbove = (usdMicros: bigint) => policy.change({ approveAbove: { usdMicros } });

/** Asks for a permit, which needs an approval. */
const awaiting = (request: policyV1.AuthorizeRequest) => policy.awaiting(swap, request, owner);

async function stateOf({ approvalId }: policyV1.Approval): Promise<policyV1.ApprovalState> {
  const viewer = { $case: 'ownerId', value: owner.ownerId } as const;
  return (await policy.owners.getApproval({ approvalId, viewer })).approval!.state;
}

/** An addition above the amount, and its signed approval. */
async function approved() {
  await approveAbove(VALUE - 1n);
  const request = asked();
  const approval = await awaiting(request);
  expect(await policy.vote(owner, approval)).toBe(State.APPROVAL_STATE_APPROVED);
  return { request, approval };
}

/** Builds a request of the same operation with other terms and a new message. */
function changed(
  request: policyV1.AuthorizeRequest,
  change: Partial<intentV1.LiquidityAdd>,
): policyV1.AuthorizeRequest {
  const { value } = request.intent!.action as { value: intentV1.LiquidityAdd };
  const intent: intentV1.Intent = { wallet: own, action: { $case: 'liquidityAdd', value: { ...value, ...change } } };
  return { ...asked(intent), operationId: request.operationId };
}

const termsOf = ({ intent }: policyV1.AuthorizeRequest) => (intent!.action as { value: intentV1.LiquidityAdd }).value;

describe('an addition of liquidity above the amount', () => {
  it('waits for an owner, whose document names its terms, and holds nothing', async () => {
    await approveAbove(VALUE);
    expect(await swap.authorize(asked())).toMatchObject({ reservedUsdMicros: VALUE });
    await approveAbove(VALUE - 1n);
    const request = asked();
    const approval = await awaiting(request);
    expect((await awaiting(request)).approvalId).toBe(approval.approvalId);
    const { liquidity, max0, max1 } = termsOf(request);
    expect(JSON.parse(approval.document.toString())).toMatchObject({
      ...{ kind: 'operation', operation: request.operationId, wallet: own, action: 'liquidity_add' },
      ...{ valueUsd: '20.1', reasons: ['above_amount'] },
    });
    expect((JSON.parse(approval.document.toString()) as { terms: object }).terms).toEqual({
      ...{ pool: pool.pool, mint0: pool.sides[0].mint, mint1: pool.sides[1].mint },
      ...{ maxAmount0: String(max0), maxAmount1: String(max1), liquidity: String(liquidity), slippageBps: '50' },
    });
    expect((await usage()).reservedUsdMicros).toBe(VALUE);
  });

  it('is reserved once it is approved, for that operation alone', async () => {
    const { request, approval } = await approved();
    expect((await usage()).reservedUsdMicros).toBe(0n);
    for (let n = 0; n < 2; n += 1) expect(await swap.authorize(request)).toMatchObject({ reservedUsdMicros: VALUE });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_USED);
    expect((await usage()).reservedUsdMicros).toBe(VALUE);
    await awaiting(asked(request.intent));
  });

  it('is permitted within its terms: for less of both tokens, and for more liquidity', async () => {
    const { request, approval } = await approved();
    const { liquidity, max0, max1 } = termsOf(request);
    const better = changed(request, { liquidity: liquidity + 1n, max0: max0 - 1n, max1: max1 - 1n, slippageBps: 50 });
    for (let n = 0; n < 2; n += 1) expect(await swap.authorize({ ...better, attempt: 2 })).toHaveProperty('permit');
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_USED);
  });

  it.each<[string, (value: intentV1.LiquidityAdd) => Partial<intentV1.LiquidityAdd>]>([
    ['more of the first token', ({ max0, quoted0 }) => ({ max0: max0 + 1n, quoted0: quoted0 + 1n })],
    ['more of the second token', ({ max1, quoted1 }) => ({ max1: max1 + 1n, quoted1: quoted1 + 1n })],
    ['less liquidity', ({ liquidity }) => ({ liquidity: liquidity - 1n })],
    ['a higher tolerance', () => ({ slippageBps: 51 })],
    ['another pool', () => ({ pool: addIntent(own, sibling()).action.value.pool })],
  ])('is not permitted with %s', async (_, change) => {
    const { request, approval } = await approved();
    const other = swap.authorize(changed(request, change(termsOf(request))));
    await expect(other).rejects.toMatchObject({ code: 'PERMIT_CONFLICT', data: { reason: 'other_terms' } });
    expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_APPROVED);
    expect((await usage()).reservedUsdMicros).toBe(0n);
    expect(await swap.authorize(request)).toMatchObject({ reservedUsdMicros: VALUE });
  });

  it('is not permitted as another action, or for another wallet', async () => {
    const { request } = await approved();
    const stranger = newWallet().address;
    const { operationId } = request;
    const other = swap.authorize({ ...asked(addIntent(stranger, pool)), operationId });
    await expect(other).rejects.toMatchObject({ code: 'PERMIT_CONFLICT', data: { reason: 'other_terms' } });
  });

  it('is void once a list lacks one of its tokens, and once it is unfair', async () => {
    const voiding: Array<[string, () => Promise<unknown>, () => Promise<unknown>]> = [
      [
        'token_not_allowed',
        () => policy.change({ allowedTokens: { list: { entries: [pool.sides[0].mint] } } }),
        async () => policy.vote(owner, await policy.propose({ allowedTokens: {} })),
      ],
      ['trade_unfair', () => setLoss(0), () => setLoss(null)],
    ];
    for (const [rule, restrict, restore] of voiding) {
      const { request, approval } = await approved();
      await restrict();
      await expect(swap.authorize(request)).rejects.toMatchObject({ data: { rule } });
      expect(await stateOf(approval)).toBe(State.APPROVAL_STATE_VOID);
      await restore();
      await expect(swap.authorize(request)).rejects.toMatchObject({ code: 'APPROVAL_REJECTED' });
    }
    expect((await usage()).reservedUsdMicros).toBe(0n);
  });

  it('is asked for as a dry run says, which requests none', async () => {
    await approveAbove(VALUE - 1n);
    const { agentId } = policy;
    expect(await swap.dryRunAuthorize({ agentId, intent: addIntent(own, pool) })).toMatchObject({
      ...{ allowed: true, rule: '', valueUsdMicros: VALUE, approval: { reasons: ['above_amount'] } },
    });
    const left = await policy.database.rows(
      "select from approvals where agent_id = $1 and kind = 'operation'",
      agentId,
    );
    expect(left).toEqual([]);
  });
});

describe('a removal of liquidity', () => {
  it('needs no approval, of any value', async () => {
    await approveAbove(1n);
    const intent = removeIntent(own, pool, { liquidity: 100_000_000_000n });
    const seen = await swap.dryRunAuthorize({ agentId: policy.agentId, intent });
    expect(seen).toMatchObject({ allowed: true, valueUsdMicros: 0n });
    expect(seen.approval).toBeUndefined();
    expect(await swap.authorize(asked(intent))).toMatchObject({ reservedUsdMicros: 0n });
  });
});

/** A pool of the same tokens with another config. */
function sibling(): TestPool {
  const [one, other] = pool.sides;
  const { world } = policy.service;
  return newPool(world, [
    { mint: one.mint, decimals: one.decimals, usd: world.prices.get(one.mint)!.usd },
    { mint: other.mint, decimals: other.decimals, usd: world.prices.get(other.mint)!.usd },
  ]);
}

/** Sets the loss that only an owner's signature sets. */
const setLoss = (bps: number | null) =>
  policy.database.rows(
    'update policies set max_trade_loss_bps = $2, version = version + 1 where agent_id = $1',
    policy.agentId,
    bps,
  );
