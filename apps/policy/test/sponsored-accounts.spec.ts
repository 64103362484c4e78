import type { intentV1 } from '@agent-wallet/contracts';
import { TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, FEE_WALLET, newWallet, sponsored, transferIntent } from './service.js';

const { address } = newWallet();
/** The rent of an account, at 150 USD for SOL and rounded up: 2 039 280 lamports are 305 892 micro-dollars. */
const RENT_USDC = 305_892n;

let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

const opening = (change: Partial<intentV1.Transfer>) =>
  transferIntent(address, { createsRecipientAccount: true, ...change });
const BELOW_RENT = {
  code: 'INSUFFICIENT_FUNDS',
  message: expect.stringContaining("only for a payment that is worth at least the account's rent"),
  data: { bound: 'sponsored_payment_below_rent', suggestion: expect.stringContaining('to the recipient, or 0.') },
};

async function expectRefusal(intent: intentV1.Intent, error: object = BELOW_RENT): Promise<void> {
  const { agentId } = policy;
  await expect(policy.wallet.dryRunAuthorize({ agentId, intent })).rejects.toMatchObject(error);
  await expect(policy.wallet.authorize(authorization(agentId, intent).request)).rejects.toMatchObject(error);
}

async function expectGrant(intent: intentV1.Intent): Promise<void> {
  const { agentId } = policy;
  expect(await policy.wallet.dryRunAuthorize({ agentId, intent })).toMatchObject({ allowed: true });
  await expect(policy.reservedFor(intent)).resolves.toBeGreaterThan(0n);
}

describe('a recipient’s account that the sponsor would open', () => {
  it('takes a payment of its rent, and refuses a micro-dollar less', async () => {
    await expectRefusal(sponsored(opening({ amount: RENT_USDC - 1n })));
    await expectGrant(sponsored(opening({ amount: RENT_USDC })));
  });

  it('is refused with what to send, and where to', async () => {
    const missing = '0.00294016'; // fee, rent and what the wallet itself keeps
    await expectRefusal(sponsored(opening({ amount: 1n })), {
      ...BELOW_RENT,
      data: {
        bound: 'sponsored_payment_below_rent',
        suggestion: `Send at least 0.305892 USD to the recipient, or ${missing} SOL to the wallet, and try again.`,
      },
    });
  });

  it('values a payment rounded down', async () => {
    const mint = policy.newMint('0.305892');
    await expectRefusal(sponsored(opening({ mint, amount: 999_999n })));
    await expectGrant(sponsored(opening({ mint, amount: 1_000_000n })));
  });

  it('does not count the operator’s fee, which the recipient does not get', async () => {
    const fee = { fee: 10_000n, feeRecipient: FEE_WALLET.address };
    await expectRefusal(sponsored(opening({ amount: RENT_USDC - 1n, ...fee })));
    await expectGrant(sponsored(opening({ amount: RENT_USDC, ...fee })));
  });

  it('costs more for a mint whose accounts are longer', async () => {
    const mint = newWallet().address;
    const extension = Buffer.alloc(4 + 108);
    extension.writeUInt16LE(1, 0);
    extension.writeUInt16LE(108, 2);
    policy.world.mints.set(mint, { program: TOKEN_2022_PROGRAM, decimals: 6, extensions: extension });
    policy.world.prices.set(mint, { usd: '1', decimals: 6 });
    const rent = (BigInt((182 + 128) * 6_960) * 150n + 999n) / 1_000n;
    const change = { mint, tokenProgram: TOKEN_2022_PROGRAM };
    await expectRefusal(sponsored(opening({ ...change, amount: rent - 1n })));
    await expectGrant(sponsored(opening({ ...change, amount: rent })));
  });

  it('is not opened with a token that may leave without a price', async () => {
    const mint = policy.newMint(undefined);
    await policy.setOwned('unpriced_tokens', [mint]);
    await expectRefusal(sponsored(opening({ mint, amount: 1_000_000_000n })));
    await expectGrant(opening({ mint, amount: 1_000_000_000n }));
  });
});

describe('a price that changes', () => {
  const sol = { usd: '150', decimals: 9 };
  /** Sets a price, and lets policy forget the one that it has read. */
  function reprice(mint: string, price: typeof sol | undefined): void {
    if (price) policy.world.prices.set(mint, price);
    else policy.world.prices.delete(mint);
    policy.outliveReadings();
  }
  afterEach(() => reprice(WRAPPED_SOL_MINT, sol));

  it('values a payment by what it is now, not by its highest of the day', async () => {
    const mint = policy.newMint('1');
    await expectGrant(sponsored(opening({ mint, amount: RENT_USDC })));
    reprice(mint, { usd: '0.8', decimals: 6 });
    await expectRefusal(sponsored(opening({ mint, amount: 382_364n })));
    await expectGrant(sponsored(opening({ mint, amount: 382_365n })));
  });

  it('of SOL values rent by its highest of the day', async () => {
    await expectGrant(sponsored(opening({ amount: RENT_USDC })));
    reprice(WRAPPED_SOL_MINT, { ...sol, usd: '120' });
    await expectRefusal(sponsored(opening({ amount: RENT_USDC - 1n })));
    await expectGrant(sponsored(opening({ amount: RENT_USDC })));
  });

  it('of SOL to none has no account opened', async () => {
    reprice(WRAPPED_SOL_MINT, undefined);
    const refusal = { code: 'POLICY_VIOLATION', data: { rule: 'price_unavailable' } };
    const intent = sponsored(opening({ amount: 50_000_000n }));
    await expect(policy.wallet.authorize(authorization(policy.agentId, intent).request)).rejects.toMatchObject(refusal);
  });
});

describe('a payment of dust', () => {
  it('has a sponsor where the recipient has the account', async () => {
    await expectGrant(sponsored(transferIntent(address, { amount: 1n })));
  });

  it('opens the account where the wallet pays', async () => {
    await expectGrant(opening({ amount: 1n }));
  });
});
