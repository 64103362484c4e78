import type { intentV1 } from '@agent-wallet/contracts';
import { WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, newWallet, type PolicyClient, sponsored, swapIntent } from './service.js';

// A wallet without SOL buys it, and the operator's sponsor pays the network.

const { address } = newWallet();
const RENT = 2_039_280n;

let policy: PolicyUnderTest;
let swap: PolicyClient;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
  swap = await policy.service.as('swap');
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const buy = (lamports: bigint, change: Partial<intentV1.Swap> = {}) =>
  sponsored(swapIntent(address, { maxNetworkLamports: lamports, returnedRentLamports: RENT, ...change }), lamports);
const check = (intent: intentV1.Intent) => swap.dryRunAuthorize({ agentId: policy.agentId, intent });
const authorize = (intent: intentV1.Intent) => swap.authorize(authorization(policy.agentId, intent).request);

async function expectBound(intent: intentV1.Intent, bound: string): Promise<void> {
  const refusal = { code: 'INSUFFICIENT_FUNDS', data: { bound } };
  await expect(authorize(intent)).rejects.toMatchObject(refusal);
  await expect(check(intent)).rejects.toMatchObject(refusal);
}

describe('a sponsored buy of SOL', () => {
  it('counts its value to the agent’s limits and what the network costs to the sponsor’s', async () => {
    expect(await check(buy(2_500_000n))).toMatchObject({ allowed: true });
    expect(await authorize(buy(2_500_000n))).toMatchObject({ reservedUsdMicros: 1_000_000n });
    const [row] = await policy.database.rows<{ lamports: string; account: boolean }>(
      'select sponsored_lamports as lamports, sponsors_account as account from reservations where agent_id = $1',
      policy.agentId,
    );
    expect(row).toEqual({ lamports: '2500000', account: false });
  });

  it('may cost the sponsor the bound of a transaction, and not a lamport more', async () => {
    await expect(authorize(buy(5_000_001n))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await authorize(buy(5_000_000n))).toMatchObject({ reservedUsdMicros: 1_000_000n });
  });

  it('may cost the sponsor the bound of a day, and not a lamport more', async () => {
    await authorize(buy(5_000_000n));
    await authorize(buy(4_000_000n));
    await expectBound(buy(1_000_001n), 'sponsored_per_agent_day');
    await authorize(buy(1_000_000n));
  });

  it('takes no more of the sponsor when twenty are asked for at once than one after the other', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => authorize(buy(1_000_000n))));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it.each([
    ['a sale of SOL', { inputMint: WRAPPED_SOL_MINT, inputDecimals: 9, outputMint: swapIntent(address).wallet }],
    ['a maker who signs', { cosigner: newWallet().address }],
    ['a fee that is bounded in two ways', { maxNetworkLamports: 2_500_001n }],
  ])('is refused as %s', async (_, change) => {
    await expect(authorize(buy(2_500_000n, change))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it.each([
    ['another rent than the account costs', { returnedRentLamports: RENT - 1n }],
    ['more rent than the account costs', { returnedRentLamports: RENT + 1n }],
  ])('is refused with %s', async (_, change) => {
    await expect(authorize(buy(2_500_000n, change))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is refused with rent that goes back to no sponsor, and with a stranger who sponsors', async () => {
    await expect(authorize(swapIntent(address, { returnedRentLamports: RENT }))).rejects.toMatchObject({
      details: [{ field: 'intent.swap.returnedRentLamports' }],
    });
    await expect(authorize({ ...buy(2_500_000n), sponsor: newWallet().address })).rejects.toMatchObject({
      details: [{ field: 'intent.sponsor' }],
    });
  });
});
