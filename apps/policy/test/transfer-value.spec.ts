import { TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, nativeIntent, newWallet, transferIntent } from './service.js';

const { address } = newWallet();
let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

describe('the value of a transfer', () => {
  it('is amount times price, rounded up to the micro-dollar', async () => {
    expect(
      await policy.reservedFor(transferIntent(address, { mint: policy.newMint('0.333333'), amount: 1_000_001n })),
    ).toBe(333_334n);
    expect(await policy.reservedFor(nativeIntent(address, 1n))).toBe(1n);
    expect(await policy.reservedFor(nativeIntent(address, 100_000_000n))).toBe(15_000_000n);
  });

  it('contains the rent of an account made for the recipient, at the price of SOL', async () => {
    const intent = transferIntent(address, { createsRecipientAccount: true });
    expect(await policy.reservedFor(intent)).toBe(1_000_000n + 305_892n); // 2 039 280 lamports at $150
  });

  it('contains the longer account of a Token-2022 mint with a transfer fee', async () => {
    const mint = newWallet().address;
    const fee = Buffer.alloc(4 + 108);
    fee.writeUInt16LE(1, 0);
    fee.writeUInt16LE(108, 2);
    policy.world.mints.set(mint, { program: TOKEN_2022_PROGRAM, decimals: 6, extensions: fee });
    policy.world.prices.set(mint, { usd: '1', decimals: 6 });
    const change = { mint, tokenProgram: TOKEN_2022_PROGRAM, createsRecipientAccount: true };
    const rentLamports = BigInt((182 + 128) * 6_960);
    expect(await policy.reservedFor(transferIntent(address, change))).toBe(
      1_000_000n + (rentLamports * 150n + 999n) / 1_000n,
    );
  });

  it('counts rent towards the limit', async () => {
    await policy.change({ maxSingleTransactionUsdMicros: 1_305_891n });
    const intent = transferIntent(address, { createsRecipientAccount: true });
    await expect(policy.reservedFor(intent)).rejects.toMatchObject({ data: { rule: 'single_transaction_limit' } });
    await policy.change({ maxSingleTransactionUsdMicros: 1_305_892n });
    expect(await policy.reservedFor(intent)).toBe(1_305_892n);
  });

  it('is beyond every limit when it is beyond every number', async () => {
    const intent = transferIntent(address, {
      mint: policy.newMint('999999999999', { decimals: 0 }),
      decimals: 0,
      amount: 2n ** 64n - 1n,
    });
    await expect(policy.reservedFor(intent)).rejects.toMatchObject({ data: { rule: 'single_transaction_limit' } });
  });
});

describe('price_unavailable', () => {
  const refusal = { code: 'POLICY_VIOLATION', data: { rule: 'price_unavailable' } };

  it.each([
    ['missing', () => policy.newMint(undefined)],
    ['zero', () => policy.newMint('0')],
    ['negative', () => policy.newMint('-1')],
    ['absurdly high', () => policy.newMint('1e400')],
    ['absurdly low', () => policy.newMint('1e-30')],
    ['no number', () => policy.newMint('"1"')],
    ['of a token with other decimals', () => policy.newMint('1', { priceDecimals: 9 })],
    ['older than a minute', () => policy.newMint('1', { ageBlocks: 160 })],
  ])('refuses a price that is %s', async (_, make) => {
    await expect(policy.reservedFor(transferIntent(address, { mint: make() }))).rejects.toMatchObject(refusal);
    expect((await policy.gateway.getUsage({ agentId: policy.agentId })).reservedUsdMicros).toBe(0n);
  });

  it('takes a price that is just young enough', async () => {
    expect(await policy.reservedFor(transferIntent(address, { mint: policy.newMint('1', { ageBlocks: 140 }) }))).toBe(
      1_000_000n,
    );
  });

  it('refuses when prices cannot be asked for, and tells nothing of the upstream', async () => {
    const mint = policy.newMint('1');
    policy.world.pricesAreAway = true;
    const error = await policy.reservedFor(transferIntent(address, { mint })).catch((e: unknown) => e);
    policy.world.pricesAreAway = false;
    expect(error).toMatchObject(refusal);
    expect(String(error)).not.toContain('upstream text');
  });

  it('is not the answer to one hiccup of the price API or of the node', async () => {
    for (const hiccup of ['pricesAreAway', 'nodeIsAway'] as const) {
      const mint = policy.newMint('1');
      policy.world[hiccup] = true;
      const reserved = policy.reservedFor(transferIntent(address, { mint }));
      await policy.world.refused();
      policy.world[hiccup] = false;
      expect(await reserved).toBe(1_000_000n);
    }
  });

  it('refuses rent that has no price', async () => {
    const sol = policy.world.prices.get(WRAPPED_SOL_MINT)!;
    policy.outliveReadings();
    policy.world.prices.delete(WRAPPED_SOL_MINT);
    const intent = transferIntent(address, { createsRecipientAccount: true });
    await expect(policy.reservedFor(intent)).rejects.toMatchObject(refusal);
    policy.world.prices.set(WRAPPED_SOL_MINT, sol);
    policy.outliveReadings();
  });

  it('remembers the last accepted price across a restart, and takes a jump on a second reading', async () => {
    const mint = policy.newMint('1');
    expect(await policy.reservedFor(transferIntent(address, { mint }))).toBe(1_000_000n);
    expect(await policy.database.rows('select digits::text, scale from accepted_prices where mint = $1', mint)).toEqual(
      [{ digits: '1', scale: 0 }],
    );
    policy.world.prices.set(mint, { usd: '2', decimals: 6 });
    policy.outliveReadings();
    await policy.restart();
    const { pauses } = policy.service;
    expect(await policy.reservedFor(transferIntent(address, { mint }))).toBe(2_000_000n);
    expect(policy.service.pauses).toBe(pauses + 1);
  });

  it('still gives the permit of a reservation that was made', async () => {
    const mint = policy.newMint('1');
    const { request } = authorization(policy.agentId, transferIntent(address, { mint }));
    await policy.wallet.authorize(request);
    policy.world.prices.delete(mint);
    policy.outliveReadings();
    expect((await policy.wallet.authorize(request)).reservedUsdMicros).toBe(1_000_000n);
  });
});
