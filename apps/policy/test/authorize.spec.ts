import { permitSigningInput, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { TOKEN_2022_PROGRAM } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { verify } from 'node:crypto';
import { PolicyUnderTest } from './policy-under-test.js';
import { authorization, newWallet, transferIntent } from './service.js';

const DAY_MS = 24 * 3_600_000;

const { address } = newWallet();
let policy: PolicyUnderTest;

beforeAll(async () => {
  policy = await PolicyUnderTest.start();
});
afterAll(() => policy.stop());
beforeEach(() => policy.newAgent());

describe('a permit', () => {
  it('is signed by the named key, bound to intent and bytes, and good for 60 seconds', async () => {
    const { request } = authorization(policy.agentId, transferIntent(address));
    const { permit, reservedUsdMicros } = await policy.wallet.authorize(request);
    const { claims, signature, keyId } = permit!;
    expect(keyId).toBe('k1');
    expect(verify(null, permitSigningInput(claims), policy.service.permitKey, signature)).toBe(true);
    const { issuedAtMs, expiresAtMs, permitId, ...bound } = policyV1.PermitClaims.decode(claims);
    expect(bound).toEqual(request);
    expect(expiresAtMs - issuedAtMs).toBe(60_000n);
    expect(Math.abs(Number(issuedAtMs) - Date.now())).toBeLessThan(10_000);
    expect(permitId).toMatch(/^[0-9a-f-]{36}$/);
    expect(reservedUsdMicros).toBe(1_000_000n);
  });

  it('is made again for the same reservation, as after a crash before it was handed over', async () => {
    const { request } = authorization(policy.agentId, transferIntent(address));
    const first = await policy.wallet.authorize(request);
    await policy.restart();
    const again = await policy.wallet.authorize(request);
    expect(again.permit!.claims).not.toEqual(first.permit!.claims);
    expect((await policy.gateway.getUsage({ agentId: policy.agentId })).reservedUsdMicros).toBe(1_000_000n);
  });

  it('is not made for a reservation that was rolled back or never was', async () => {
    const { request } = authorization(newId(), transferIntent(address));
    await expect(policy.wallet.authorize(request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a caller that lies', () => {
  it.each([
    ['decimals', { decimals: 9 }, 'intent.transfer.decimals'],
    ['decimals', { decimals: 0 }, 'intent.transfer.decimals'],
    ['the program', { tokenProgram: TOKEN_2022_PROGRAM }, 'intent.transfer.tokenProgram'],
    ['the mint', { mint: newWallet().address }, 'intent.transfer.mint'],
    ['the amount', { amount: 0n }, 'intent.transfer.amount'],
    [
      'an account of the native coin',
      { mint: '', tokenProgram: '', decimals: 9, createsRecipientAccount: true },
      'intent.transfer.createsRecipientAccount',
    ],
    ['decimals of the native coin', { mint: '', tokenProgram: '', decimals: 6 }, 'intent.transfer.decimals'],
  ])('about %s is refused by name', async (_, change, field) => {
    const { request } = authorization(policy.agentId, transferIntent(address));
    const intent = transferIntent(address, change);
    await expect(policy.wallet.authorize({ ...request, intent })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field }],
    });
  });

  it('gets nothing without an action, with another step, or with half a hash', async () => {
    const { request } = authorization(policy.agentId, transferIntent(address));
    const wrong = [
      { intent: { wallet: address, action: undefined } },
      { intent: undefined },
      { step: 2 },
      { step: 0 },
      { attempt: 0 },
      { attempt: 2 ** 32 - 1 },
      { messageHash: Buffer.alloc(31) },
      { agentId: 'me' },
      { operationId: "';--" },
    ];
    for (const change of wrong) {
      await expect(policy.wallet.authorize({ ...request, ...change })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
  });

  it('cannot have another message, intent or agent permitted for the attempt', async () => {
    const { request } = authorization(policy.agentId, transferIntent(address));
    await policy.wallet.authorize(request);
    const other = newId();
    await policy.gateway.createPolicy({ agentId: other, namedOwnerId: '' });
    for (const [change, reason] of [
      [{ messageHash: Buffer.alloc(32, 1) }, 'other_message'],
      [{ intent: transferIntent(address, { amount: 2n }) }, 'other_intent'],
      [{ agentId: other }, 'other_agent'],
      [{ attempt: 2 }, 'prior_attempt_may_land'],
    ] as const) {
      await expect(policy.wallet.authorize({ ...request, ...change })).rejects.toMatchObject({
        code: 'PERMIT_CONFLICT',
        data: { reason },
      });
    }
  });
});

describe('a refusal', () => {
  it('explains the daily limit with every figure', async () => {
    await policy.change({ dailyLimitUsdMicros: 10_000_000n });
    await policy.reservedFor(transferIntent(address, { amount: 4_000_000n }));
    const error = await policy.reservedFor(transferIntent(address, { amount: 6_000_001n })).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'POLICY_VIOLATION',
      data: {
        rule: 'daily_limit',
        limitUsdMicros: '10000000',
        usedUsdMicros: '4000000',
        reservedUsdMicros: '4000000',
        remainingUsdMicros: '6000000',
        requestedUsdMicros: '6000001',
        maxAllowedNowUsdMicros: '6000000',
        maxAmountNow: '6',
        maxAmountNowRaw: '6000000',
        suggestion: 'Send at most 6 USDC now. Or wait until retryAt.',
      },
      message: '6.000001 USD exceeds the 6.00 USD left of dailyLimitInUsd (10.00 USD).',
    });
    const { resetsAtMs, retryAtMs } = (error as { data: { resetsAtMs: number; retryAtMs: number } }).data;
    expect([Math.abs(resetsAtMs - Date.now() - DAY_MS) < 10_000, retryAtMs]).toEqual([true, resetsAtMs]);
  });

  it('of more than the whole daily limit names no time', async () => {
    await policy.change({ dailyLimitUsdMicros: 10_000_000n });
    await policy.reservedFor(transferIntent(address, { amount: 4_000_000n }));
    const error = await policy.reservedFor(transferIntent(address, { amount: 10_000_001n })).catch((e: unknown) => e);
    expect(error).toMatchObject({
      data: { rule: 'daily_limit', suggestion: expect.stringContaining('Ask the owner') },
    });
    for (const time of ['resetsAtMs', 'retryAtMs']) expect((error as { data: object }).data).not.toHaveProperty(time);
  });

  it('of the single limit shows what is used, too', async () => {
    await policy.reservedFor(transferIntent(address, { amount: 4_000_000n }));
    await expect(policy.reservedFor(transferIntent(address, { amount: 100_000_001n }))).rejects.toMatchObject({
      message: '100.000001 USD exceeds maxSingleTransactionInUsd (100.00 USD).',
      data: { rule: 'single_transaction_limit', limitUsdMicros: '100000000', usedUsdMicros: '4000000' },
    });
  });

  it('leaves out what a recipient does not have', async () => {
    const allowed = newWallet().address;
    await policy.change({ allowedRecipients: { entries: [allowed] } });
    const error = await policy.reservedFor(transferIntent(address)).catch((e: unknown) => e);
    expect(error).toMatchObject({ data: { rule: 'recipient_not_allowed', suggestion: expect.any(String) } });
    expect(Object.keys((error as { data: object }).data)).toHaveLength(2);
    expect(await policy.reservedFor(transferIntent(address, { recipient: allowed }))).toBe(1_000_000n);
  });
});

describe('a check of a kind of spending', () => {
  const check = (spending: policyV1.Spending) => policy.wallet.checkSpending({ agentId: policy.agentId, spending });
  const { SPENDING_PAYMENT, SPENDING_TRADE, SPENDING_ESCROW, SPENDING_SELF } = policyV1.Spending;

  it('passes spending that no switch forbids, regardless of limits and recipients', async () => {
    const allowedRecipients = { entries: [newWallet().address] };
    await policy.change({ dailyLimitUsdMicros: 1n, maxSingleTransactionUsdMicros: 1n, allowedRecipients });
    for (const spending of [SPENDING_PAYMENT, SPENDING_TRADE, SPENDING_ESCROW, SPENDING_SELF]) {
      expect(await check(spending)).toEqual({});
    }
  });

  it('returns the owner’s limit on the loss of trades', async () => {
    await policy.setOwned('max_trade_loss_bps', 300);
    expect(await check(SPENDING_ESCROW)).toEqual({ maxTradeLossBps: 300 });
  });

  it('names the switch that is off, and passes the rest', async () => {
    await policy.change({ allowTrading: false, allowPredictionMarkets: false });
    await expect(check(SPENDING_TRADE)).rejects.toMatchObject({ data: { rule: 'trading_disabled' } });
    await expect(check(SPENDING_ESCROW)).rejects.toMatchObject({ data: { rule: 'prediction_markets_disabled' } });
    expect(await check(SPENDING_PAYMENT)).toEqual({});
    expect(await check(SPENDING_SELF)).toEqual({});
  });

  it('is refused without a kind', async () => {
    await expect(check(policyV1.Spending.SPENDING_UNSPECIFIED)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('a check', () => {
  it('decides as authorize does and leaves nothing behind', async () => {
    const check = async (amount: bigint) =>
      policy.wallet.dryRunAuthorize({ agentId: policy.agentId, intent: transferIntent(address, { amount }) });
    const allowed = { allowed: true, rule: '', valueUsdMicros: 100_000_000n };
    expect(await check(100_000_000n)).toMatchObject(allowed);
    const refused = { allowed: false, rule: 'single_transaction_limit', limitUsdMicros: 100_000_000n };
    expect(await check(100_000_001n)).toMatchObject(refused);
    const unpriced = await policy.wallet.dryRunAuthorize({
      agentId: policy.agentId,
      intent: transferIntent(address, { mint: policy.newMint(undefined) }),
    });
    expect(unpriced).toMatchObject({ allowed: false, rule: 'price_unavailable' });
    expect([unpriced.valueUsdMicros, unpriced.limitUsdMicros]).toEqual([undefined, undefined]);
    expect(unpriced.usage).toMatchObject({ reservedUsdMicros: 0n, remainingTodayUsdMicros: 500_000_000n });
    expect(await policy.database.rows('select 1 from reservations where agent_id = $1', policy.agentId)).toEqual([]);
  });
});

describe('usage', () => {
  it('says what is left', async () => {
    await policy.reservedFor(transferIntent(address, { amount: 90_000_000n }));
    const usage = await policy.gateway.getUsage({ agentId: policy.agentId });
    expect(usage).toMatchObject({
      settledUsdMicros: 0n,
      reservedUsdMicros: 90_000_000n,
      remainingTodayUsdMicros: 410_000_000n,
      maxAllowedNowUsdMicros: 100_000_000n,
    });
    // What is reserved may settle at any time, and then counts for 24 hours.
    expect(usage.resetsAtMs - usage.windowStartsAtMs).toBe(BigInt(2 * DAY_MS));
    expect(Math.abs(Number(usage.windowStartsAtMs) + 24 * 3_600_000 - Date.now())).toBeLessThan(10_000);
  });
});
