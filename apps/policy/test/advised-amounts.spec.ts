import type { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { inRequest } from '@agent-wallet/platform';
import { TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PolicyUnderTest } from './policy-under-test.js';
import {
  authorization,
  escrowIntent,
  FEE_WALLET,
  nativeIntent,
  newWallet,
  swapIntent,
  transferIntent,
} from './service.js';

const USD = 1_000_000n;

const { address } = newWallet();
let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

/** Asks for a permit. */
const ask = (intent: intentV1.Intent) =>
  policy.askerOf(intent).authorize(authorization(policy.agentId, intent).request);

/** Data of the refusal of an intent. */
async function refusalOf(intent: intentV1.Intent): Promise<Record<string, string>> {
  const error: unknown = await ask(intent).then(
    () => undefined,
    (refused: unknown) => refused,
  );
  expect(error).toMatchObject({ code: 'POLICY_VIOLATION' });
  return (error as { data: Record<string, string> }).data;
}

type Asked = (amount: bigint) => intentV1.Intent;

const ofMint =
  (usd: string, decimals: number, change: Partial<intentV1.Transfer> = {}): (() => Asked) =>
  () => {
    const mint = policy.newMint(usd, { decimals });
    return (amount) => transferIntent(address, { mint, decimals, tokenProgram: TOKEN_PROGRAM, amount, ...change });
  };

const KINDS: ReadonlyArray<readonly [what: string, make: () => Asked, tooMuch: bigint]> = [
  ['a token above a dollar', ofMint('1.00007', 6), 500n * USD],
  ['a token of nine decimals', ofMint('0.0000033', 9), 10n ** 18n],
  ['a token without decimals', ofMint('7.77', 0), 1_000n],
  [
    'a token with the operator’s fee',
    ofMint('1.03', 6, { fee: 250_001n, feeRecipient: FEE_WALLET.address }),
    500n * USD,
  ],
  ['a token whose recipient needs an account', ofMint('1', 6, { createsRecipientAccount: true }), 500n * USD],
  ['SOL', () => (amount) => nativeIntent(address, amount), 10n ** 12n],
  ['a trade', () => (amount) => swapIntent(address, { inputAmount: amount }), 500n * USD],
  ['a sale of SOL', () => saleOfSol, 10n ** 12n],
  ['a buy of contracts', () => (amount) => escrowIntent(address, { amount }), 500n * USD],
];

function saleOfSol(inputAmount: bigint): intentV1.Intent {
  const outputMint = policy.newMint('1');
  const quotedOutputAmount = (inputAmount * 150n) / 1_000n;
  const least = (quotedOutputAmount * 9_950n) / 10_000n;
  const sides = { inputMint: WRAPPED_SOL_MINT, inputDecimals: 9, inputAmount, outputMint };
  return swapIntent(address, { ...sides, quotedOutputAmount, minOutputAmount: least });
}

describe('the amount that a refusal names', () => {
  it.each(KINDS)('passes, and one base unit more does not: %s', async (_, make, tooMuch) => {
    const asked = make();
    const { maxAmountNowRaw, maxAmountNow, suggestion, rule } = await refusalOf(asked(tooMuch));
    expect(rule).toBe('single_transaction_limit');
    expect(suggestion).toContain(` at most ${maxAmountNow} `);
    const most = BigInt(maxAmountNowRaw!);
    await refusalOf(asked(most + 1n));
    expect((await ask(asked(most))).reservedUsdMicros).toBeLessThanOrEqual(100n * USD);
  });

  it('leaves room for what is open', async () => {
    await policy.change({ dailyLimitUsdMicros: 60n * USD });
    await ask(transferIntent(address, { amount: 22_500_001n }));
    const asked: Asked = (amount) => transferIntent(address, { amount });
    const { rule, maxAmountNowRaw } = await refusalOf(asked(40n * USD));
    expect([rule, maxAmountNowRaw]).toEqual(['daily_limit', '37499999']);
    await ask(asked(BigInt(maxAmountNowRaw!)));
    expect(await refusalOf(asked(1n))).not.toHaveProperty('maxAmountNow');
  });

  it('is that of a dry run, which names it where it allows as well', async () => {
    const intent = transferIntent(address, { amount: 500n * USD });
    const { agentId } = policy;
    const denied = await policy.wallet.dryRunAuthorize({ agentId, intent });
    expect([denied.allowed, denied.maxAmountNow?.amount]).toEqual([false, 100n * USD]);
    const allowed = await policy.wallet.dryRunAuthorize({ agentId, intent: transferIntent(address) });
    expect([allowed.allowed, allowed.maxAmountNow]).toEqual([true, denied.maxAmountNow]);
    const unpriced = transferIntent(address, { mint: policy.newMint(undefined) });
    expect((await policy.wallet.dryRunAuthorize({ agentId, intent: unpriced })).maxAmountNow).toBeUndefined();
  });
});

describe('a scoped token', () => {
  const grant = { name: 'A bot', scopes: ['transfer'], maxSingleUsdMicros: 20n * USD, dailyUsdMicros: 30n * USD };
  const inToken = <T>(tokenId: string, work: () => Promise<T>) => inRequest({ requestId: 'r', tokenId }, work);
  const open = async (change: object = {}) => {
    const tokenId = newId();
    const expiresAtMs = BigInt(Date.now() + 3_600_000);
    const request = { agentId: policy.agentId, tokenId, grant: { ...grant, expiresAtMs, ...change } };
    const tokens = await policy.service.tokensAs('gateway');
    await tokens.openToken({ ...request, grant: { ...request.grant, recipients: undefined } });
    return tokenId;
  };

  it('reads its own limits, in usage and in dry runs, and what is used of them', async () => {
    const { agentId } = policy;
    const tokenId = await open();
    const usage = await inToken(tokenId, () => policy.gateway.getUsage({ agentId }));
    expect(usage).toMatchObject({
      remainingTodayUsdMicros: 30n * USD,
      maxAllowedNowUsdMicros: 20n * USD,
      token: { tokenId, grant: { scopes: ['transfer'], maxSingleUsdMicros: 20n * USD }, usedTodayUsdMicros: 0n },
    });
    const tooMuch = transferIntent(address, { amount: 25n * USD });
    const denied = await inToken(tokenId, () => policy.wallet.dryRunAuthorize({ agentId, intent: tooMuch }));
    expect(denied).toMatchObject({ allowed: false, rule: 'grant_limit', limitUsdMicros: 20n * USD });
    expect(denied.maxAmountNow?.amount).toBe(20n * USD);
    expect(denied.usage).toMatchObject({ remainingTodayUsdMicros: 20n * USD, maxAllowedNowUsdMicros: 20n * USD });
  });

  it('reads the policy’s limits where those are narrower', async () => {
    const tokenId = await open({ maxSingleUsdMicros: 400n * USD, dailyUsdMicros: 900n * USD });
    const usage = await inToken(tokenId, () => policy.gateway.getUsage({ agentId: policy.agentId }));
    expect([usage.remainingTodayUsdMicros, usage.maxAllowedNowUsdMicros]).toEqual([500n * USD, 100n * USD]);
  });

  it('without limits of its own has the policy’s', async () => {
    const tokenId = await open({ maxSingleUsdMicros: undefined, dailyUsdMicros: undefined });
    const usage = await inToken(tokenId, () => policy.gateway.getUsage({ agentId: policy.agentId }));
    expect([usage.remainingTodayUsdMicros, usage.maxAllowedNowUsdMicros]).toEqual([500n * USD, 100n * USD]);
  });

  it('follows the amount that its refusal names', async () => {
    const { agentId } = policy;
    const tokens = await policy.service.tokensAs('gateway');
    const tokenId = await open({ totalUsdMicros: 25n * USD });
    const askBy = async (amount: bigint) => {
      const { request } = authorization(agentId, transferIntent(address, { amount }));
      await tokens.bindOperation({ agentId, tokenId, operationId: request.operationId });
      return policy.wallet.authorize(request);
    };
    await askBy(12n * USD);
    const refused: unknown = await askBy(14n * USD).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      data: { rule: 'grant_limit', remainingUsdMicros: '13000000', maxAmountNow: '13', maxAmountNowRaw: '13000000' },
    });
    expect((await askBy(13n * USD)).reservedUsdMicros).toBe(13n * USD);
  });

  it('that has ended has no usage', async () => {
    const { agentId } = policy;
    const tokenId = await open();
    await (await policy.service.tokensAs('gateway')).endToken({ agentId, tokenId });
    await expect(inToken(tokenId, () => policy.gateway.getUsage({ agentId }))).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'grant_ended' },
    });
  });
});
