import { type intentV1, policyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OwnersUnderTest } from './owners-under-test.js';
import { addIntent, newPool, removeIntent, type TestPool } from './pools.js';
import {
  authorization,
  escrowIntent,
  newWallet,
  type PolicyClient,
  swapIntent,
  transferIntent,
  unwrapIntent,
} from './service.js';

const { address } = newWallet();
const REFUSED = { code: 'POLICY_VIOLATION', data: { rule: 'owner_required' } };

type Clients = { readonly wallet: PolicyClient; readonly swap: PolicyClient };
type World = { readonly policy: OwnersUnderTest; readonly pool: TestPool; readonly as: Clients };

/** Services: one that requires owners, and one that does not. */
const worlds = {} as Record<'strict' | 'open', World>;

beforeAll(async () => {
  for (const [kind, requiresOwner] of [
    ['strict', true],
    ['open', false],
  ] as const) {
    const policy = await OwnersUnderTest.start({ requiresOwner });
    const as = { wallet: await policy.service.as('wallet'), swap: await policy.service.as('swap') };
    worlds[kind] = { policy, pool: newPool(policy.service.world), as };
  }
});
afterAll(() => Promise.all(Object.values(worlds).map(({ policy }) => policy.stop())));
beforeEach(() => Promise.all(Object.values(worlds).map(({ policy }) => policy.newAgent())));

type Case = readonly [string, keyof Clients, (pool: TestPool) => intentV1.Intent];
const SPENDING: readonly Case[] = [
  ['a transfer', 'wallet', () => transferIntent(address)],
  ['an escrow', 'wallet', () => escrowIntent(address)],
  ['a trade', 'swap', () => swapIntent(address)],
  ['an addition of liquidity', 'swap', (pool) => addIntent(address, pool)],
];
const RETURNING: readonly Case[] = [
  ['an unwrap', 'wallet', () => unwrapIntent(address)],
  ['a removal of liquidity', 'swap', (pool) => removeIntent(address, pool)],
];

const ask = (kind: keyof typeof worlds, [, by, intentOf]: Case) => {
  const { policy, pool, as } = worlds[kind];
  const [agentId, intent] = [policy.agentId, intentOf(pool)];
  return {
    authorized: () => as[by].authorize(authorization(agentId, intent).request),
    predicted: () => as[by].dryRunAuthorize({ agentId, intent }),
  };
};

describe('where owners are required', () => {
  it.each(SPENDING)('%s of an agent without one is refused, as the dry run says', async (...each) => {
    const { authorized, predicted } = ask('strict', each);
    await expect(authorized()).rejects.toMatchObject(REFUSED);
    expect(await predicted()).toMatchObject({ allowed: false, rule: 'owner_required' });
  });

  it.each(SPENDING)('%s is granted after a claim', async (...each) => {
    await worlds.strict.policy.newClaim();
    const { authorized, predicted } = ask('strict', each);
    expect(await predicted()).toMatchObject({ allowed: true });
    expect((await authorized()).permit).toBeDefined();
  });

  it.each(RETURNING)('%s needs none', async (...each) => {
    expect((await ask('strict', each).authorized()).permit).toBeDefined();
  });

  it('a check of spending says so before a request is made', async () => {
    const { policy, as } = worlds.strict;
    const check = () =>
      as.wallet.checkSpending({ agentId: policy.agentId, spending: policyV1.Spending.SPENDING_PAYMENT });
    await expect(check()).rejects.toMatchObject(REFUSED);
    await policy.newClaim();
    await check();
  });
});

it.each(SPENDING)('where owners are not required, %s of an agent without one is granted', async (...each) => {
  expect((await ask('open', each).authorized()).permit).toBeDefined();
});
