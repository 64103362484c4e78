import type { intentV1 } from '@agent-wallet/contracts';
import { addressBytes, CPMM_AUTHORITY, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import { addIntent, FOUR_DOLLARS, HALF_DOLLAR, newPool, type TestPool } from './pools.js';
import { authorization, newWallet, swapIntent, transferIntent } from './service.js';

// What liquidity tokens are worth is their share of a pool: no market price lets them leave.

const { address } = newWallet();
const USD = 1_000_000n;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const authorize = (intent: intentV1.Intent) => policy.swap.authorize(authorization(policy.agentId, intent).request);
const dryRun = (intent: intentV1.Intent) => policy.swap.dryRunAuthorize({ agentId: policy.agentId, intent });

/** A mint that the venue's program alone can mint. */
function liquidityMint(usd: string | undefined): string {
  const mint = policy.newMint(usd);
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.set(addressBytes(CPMM_AUTHORITY), 4);
  data.set([6, 1], 44);
  policy.world.accounts.set(mint, { owner: TOKEN_PROGRAM, data });
  return mint;
}

describe('a liquidity token', () => {
  const refusal = { code: 'POLICY_VIOLATION', data: { rule: 'price_unavailable' } };

  it.each([
    ['without a market price', undefined],
    ['at a market price that someone made', '0.000001'],
    ['at a market price that is right', '1'],
  ])('%s is neither sent nor traded, listed or not', async (_, usd) => {
    const mint = liquidityMint(usd);
    const sale = swapIntent(address, { inputMint: mint, quotedOutputAmount: 2n, minOutputAmount: 1n });
    const payment = transferIntent(address, { mint });
    for (const listed of [[], [mint]]) {
      await policy.setOwned('unpriced_tokens', listed);
      await expect(policy.reservedFor(payment)).rejects.toMatchObject(refusal);
      await expect(authorize(sale)).rejects.toMatchObject({ code: 'POLICY_VIOLATION' });
      expect(await dryRun(sale)).toMatchObject({ allowed: false });
      expect(await policy.wallet.dryRunAuthorize({ agentId: policy.agentId, intent: payment })).toMatchObject({
        ...{ allowed: false, rule: 'price_unavailable' },
      });
    }
    expect(await policy.usage()).toEqual({ used: 0n, reserved: 0n });
  });

  it('at a market price is not traded for a fair amount of another', async () => {
    const inputMint = liquidityMint('1');
    const outputMint = policy.newMint('1');
    const fair = {
      quotedOutputAmount: 10_100_000n,
      minOutputAmount: 10n * USD,
      inputAmount: 10n * USD,
      slippageBps: 50,
    };
    await expect(authorize(swapIntent(address, { inputMint, outputMint, ...fair }))).rejects.toMatchObject(refusal);
  });

  it('costs no more calls to the chain than other tokens', async () => {
    const mint = policy.newMint('1');
    await policy.reservedFor(transferIntent(address, { mint, amount: 1n }));
    policy.world.calls.length = 0;
    await policy.reservedFor(transferIntent(address, { mint, amount: 1n }));
    expect(policy.world.calls.filter((call) => call === 'getMultipleAccounts').length).toBeLessThanOrEqual(1);
  });
});

describe('an addition of a token that withholds a fee of its transfers', () => {
  /** The extension that takes a fee, of nothing at present. */
  function withFee({ sides }: TestPool, i: 0 | 1): void {
    const extension = Buffer.alloc(4 + 108);
    extension.writeUInt16LE(1, 0);
    extension.writeUInt16LE(108, 2);
    const { mint, decimals } = sides[i];
    policy.world.mints.set(mint, { program: TOKEN_2022_PROGRAM, decimals, extensions: extension });
  }

  it.each([0, 1] as const)('as side %i is refused, although the service that asks did not look', async (side) => {
    const program = { tokenProgram: TOKEN_2022_PROGRAM };
    const sides = [
      { ...FOUR_DOLLARS, ...program },
      { ...HALF_DOLLAR, ...program },
    ] as const;
    const plain = newPool(policy.world, sides);
    expect(await authorize(addIntent(address, plain))).toMatchObject({ reservedUsdMicros: 20_100_000n });
    const pool = newPool(policy.world, sides);
    withFee(pool, side);
    const refusal = { code: 'VALIDATION_ERROR', details: [{ field: 'intent.liquidityAdd.pool' }] };
    await expect(authorize(addIntent(address, pool))).rejects.toMatchObject(refusal);
    await expect(dryRun(addIntent(address, pool))).rejects.toMatchObject(refusal);
  });
});
