import { permitSigningInput, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { TOKEN_2022_PROGRAM, WRAPPED_SOL_MINT } from '@agent-wallet/solana';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { verify } from 'node:crypto';
import {
  authorization,
  nativeIntent,
  newWallet,
  type PolicyClient,
  startTestService,
  type TestService,
  transferIntent,
} from './service.js';

// Generous: the whole of policy runs here, maybe on a busy machine.
jest.setTimeout(30_000);

let service: TestService;
let gateway: PolicyClient;
let wallet: PolicyClient;
let agentId: string;
const { address } = newWallet();

beforeAll(async () => {
  service = await startTestService();
  [gateway, wallet] = await Promise.all([service.as('gateway'), service.as('wallet')]);
}, 60_000);
afterAll(() => service.stop());
beforeEach(async () => {
  agentId = newId();
  await gateway.createPolicy({ agentId });
});

/** Mints of their own, so that no test meets another's accepted price. */
function newMint(
  usd: string | undefined,
  change: { decimals?: number; priceDecimals?: number; ageBlocks?: number } = {},
) {
  const mint = newWallet().address;
  const decimals = change.decimals ?? 6;
  service.world.mints.set(mint, { program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', decimals });
  if (usd !== undefined) {
    const { priceDecimals = decimals, ageBlocks = 0 } = change;
    service.world.prices.set(mint, { usd, decimals: priceDecimals, ageBlocks });
  }
  return mint;
}

async function reservedFor(intent: ReturnType<typeof transferIntent>): Promise<bigint> {
  return (await wallet.authorize(authorization(agentId, intent).request)).reservedUsdMicros;
}

describe('a permit', () => {
  it('is signed by the named key, bound to intent and bytes, and good for 60 seconds', async () => {
    const { request } = authorization(agentId, transferIntent(address));
    const { permit, reservedUsdMicros } = await wallet.authorize(request);
    const { claims, signature, keyId } = permit!;
    expect(keyId).toBe('k1');
    expect(verify(null, permitSigningInput(claims), service.permitKey, signature)).toBe(true);
    const { issuedAtMs, expiresAtMs, permitId, ...bound } = policyV1.PermitClaims.decode(claims);
    expect(bound).toEqual(request);
    expect(expiresAtMs - issuedAtMs).toBe(60_000n);
    expect(Math.abs(Number(issuedAtMs) - Date.now())).toBeLessThan(10_000);
    expect(permitId).toMatch(/^[0-9a-f-]{36}$/);
    expect(reservedUsdMicros).toBe(1_000_000n);
  });

  it('is made again for the same reservation, as after a crash before it was handed over', async () => {
    const { request } = authorization(agentId, transferIntent(address));
    const first = await wallet.authorize(request);
    await service.restart();
    [gateway, wallet] = await Promise.all([service.as('gateway'), service.as('wallet')]);
    const again = await wallet.authorize(request);
    expect(again.permit!.claims).not.toEqual(first.permit!.claims);
    expect((await gateway.getUsage({ agentId })).reservedUsdMicros).toBe(1_000_000n);
  });

  it('is not made for a reservation that was rolled back or never was', async () => {
    const { request } = authorization(newId(), transferIntent(address));
    await expect(wallet.authorize(request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the value of a transfer', () => {
  it('is amount times price, rounded up to the micro-dollar', async () => {
    expect(await reservedFor(transferIntent(address, { mint: newMint('0.333333'), amount: 1_000_001n }))).toBe(
      333_334n,
    );
    expect(await reservedFor(nativeIntent(address, 1n))).toBe(1n);
    expect(await reservedFor(nativeIntent(address, 100_000_000n))).toBe(15_000_000n);
  });

  it('contains the rent of an account made for the recipient, at the price of SOL', async () => {
    const intent = transferIntent(address, { createsRecipientAccount: true });
    expect(await reservedFor(intent)).toBe(1_000_000n + 305_892n); // 2 039 280 lamports at $150
  });

  it('contains the longer account of a Token-2022 mint with a transfer fee', async () => {
    const mint = newWallet().address;
    const fee = Buffer.alloc(4 + 108);
    fee.writeUInt16LE(1, 0);
    fee.writeUInt16LE(108, 2);
    service.world.mints.set(mint, { program: TOKEN_2022_PROGRAM, decimals: 6, extensions: fee });
    service.world.prices.set(mint, { usd: '1', decimals: 6 });
    const change = { mint, tokenProgram: TOKEN_2022_PROGRAM, createsRecipientAccount: true };
    const rentLamports = BigInt((182 + 128) * 6_960);
    expect(await reservedFor(transferIntent(address, change))).toBe(1_000_000n + (rentLamports * 150n + 999n) / 1_000n);
  });

  it('counts rent towards the limit', async () => {
    await gateway.updatePolicy(update({ maxSingleTransactionUsdMicros: 1_305_891n }));
    const intent = transferIntent(address, { createsRecipientAccount: true });
    await expect(reservedFor(intent)).rejects.toMatchObject({ data: { rule: 'single_transaction_limit' } });
    await gateway.updatePolicy(update({ maxSingleTransactionUsdMicros: 1_305_892n }));
    expect(await reservedFor(intent)).toBe(1_305_892n);
  });

  it('is beyond every limit when it is beyond every number', async () => {
    const intent = transferIntent(address, {
      mint: newMint('999999999999', { decimals: 0 }),
      decimals: 0,
      amount: 2n ** 64n - 1n,
    });
    await expect(reservedFor(intent)).rejects.toMatchObject({ data: { rule: 'single_transaction_limit' } });
  });
});

function update(change: Partial<policyV1.UpdatePolicyRequest>): policyV1.UpdatePolicyRequest {
  return { agentId, allowedRecipients: undefined, ...change };
}

describe('price_unavailable', () => {
  const refusal = { code: 'POLICY_VIOLATION', data: { rule: 'price_unavailable' } };

  it.each([
    ['missing', () => newMint(undefined)],
    ['zero', () => newMint('0')],
    ['negative', () => newMint('-1')],
    ['absurdly high', () => newMint('1e400')],
    ['absurdly low', () => newMint('1e-30')],
    ['no number', () => newMint('"1"')],
    ['of a token with other decimals', () => newMint('1', { priceDecimals: 9 })],
    ['older than a minute', () => newMint('1', { ageBlocks: 160 })],
  ])('refuses a price that is %s', async (_, make) => {
    await expect(reservedFor(transferIntent(address, { mint: make() }))).rejects.toMatchObject(refusal);
    expect((await gateway.getUsage({ agentId })).reservedUsdMicros).toBe(0n);
  });

  it('takes a price that is just young enough', async () => {
    expect(await reservedFor(transferIntent(address, { mint: newMint('1', { ageBlocks: 140 }) }))).toBe(1_000_000n);
  });

  it('refuses when prices cannot be asked for, and tells nothing of the upstream', async () => {
    const mint = newMint('1');
    service.world.pricesAreAway = true;
    const error = await reservedFor(transferIntent(address, { mint })).catch((e: unknown) => e);
    service.world.pricesAreAway = false;
    expect(error).toMatchObject(refusal);
    expect(String(error)).not.toContain('upstream text');
  });

  it('refuses rent that has no price', async () => {
    const sol = service.world.prices.get(WRAPPED_SOL_MINT)!;
    await service.restart(); // forgets the reading it keeps for five seconds
    [gateway, wallet] = await Promise.all([service.as('gateway'), service.as('wallet')]);
    service.world.prices.delete(WRAPPED_SOL_MINT);
    const intent = transferIntent(address, { createsRecipientAccount: true });
    await expect(reservedFor(intent)).rejects.toMatchObject(refusal);
    service.world.prices.set(WRAPPED_SOL_MINT, sol);
    await service.restart();
    [gateway, wallet] = await Promise.all([service.as('gateway'), service.as('wallet')]);
  });

  it('remembers the last accepted price across a restart, and takes a jump on a second reading', async () => {
    const mint = newMint('1');
    expect(await reservedFor(transferIntent(address, { mint }))).toBe(1_000_000n);
    expect(
      await service.database.rows('select digits::text, scale from accepted_prices where mint = $1', mint),
    ).toEqual([{ digits: '1', scale: 0 }]);
    service.world.prices.set(mint, { usd: '2', decimals: 6 });
    await service.restart();
    [gateway, wallet] = await Promise.all([service.as('gateway'), service.as('wallet')]);
    const startedAtMs = performance.now();
    expect(await reservedFor(transferIntent(address, { mint }))).toBe(2_000_000n);
    expect(performance.now() - startedAtMs).toBeGreaterThan(900);
  });

  it('still gives the permit of a reservation that was made', async () => {
    const mint = newMint('1');
    const { request } = authorization(agentId, transferIntent(address, { mint }));
    await wallet.authorize(request);
    service.world.prices.delete(mint);
    await service.restart();
    [gateway, wallet] = await Promise.all([service.as('gateway'), service.as('wallet')]);
    expect((await wallet.authorize(request)).reservedUsdMicros).toBe(1_000_000n);
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
    const { request } = authorization(agentId, transferIntent(address));
    const intent = transferIntent(address, change);
    await expect(wallet.authorize({ ...request, intent })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field }],
    });
  });

  it('gets nothing without an action, with another step, or with half a hash', async () => {
    const { request } = authorization(agentId, transferIntent(address));
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
      await expect(wallet.authorize({ ...request, ...change })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });

  it('cannot have another message, intent or agent permitted for the attempt', async () => {
    const { request } = authorization(agentId, transferIntent(address));
    await wallet.authorize(request);
    const other = newId();
    await gateway.createPolicy({ agentId: other });
    for (const [change, reason] of [
      [{ messageHash: Buffer.alloc(32, 1) }, 'other_message'],
      [{ intent: transferIntent(address, { amount: 2n }) }, 'other_intent'],
      [{ agentId: other }, 'other_agent'],
      [{ attempt: 2 }, 'prior_attempt_may_land'],
    ] as const) {
      await expect(wallet.authorize({ ...request, ...change })).rejects.toMatchObject({
        code: 'PERMIT_CONFLICT',
        data: { reason },
      });
    }
  });
});

describe('a refusal', () => {
  it('explains the daily limit with every figure', async () => {
    await gateway.updatePolicy(update({ dailyLimitUsdMicros: 10_000_000n }));
    await reservedFor(transferIntent(address, { amount: 4_000_000n }));
    const error = await reservedFor(transferIntent(address, { amount: 6_000_001n })).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'POLICY_VIOLATION',
      data: {
        rule: 'daily_limit',
        limitUsdMicros: '10000000',
        usedUsdMicros: '4000000',
        requestedUsdMicros: '6000001',
        maxAllowedNowUsdMicros: '6000000',
        suggestion: expect.stringContaining('Up to 6 USD is possible now'),
      },
    });
    expect((error as { data: object }).data).not.toHaveProperty('resetsAtMs');
  });

  it('leaves out what a recipient does not have', async () => {
    const allowed = newWallet().address;
    await gateway.updatePolicy(update({ allowedRecipients: { addresses: [allowed] } }));
    const error = await reservedFor(transferIntent(address)).catch((e: unknown) => e);
    expect(error).toMatchObject({ data: { rule: 'recipient_not_allowed', suggestion: expect.any(String) } });
    expect(Object.keys((error as { data: object }).data)).toHaveLength(2);
    expect(await reservedFor(transferIntent(address, { recipient: allowed }))).toBe(1_000_000n);
  });
});

describe('a check', () => {
  it('decides as authorize does and leaves nothing behind', async () => {
    const check = async (amount: bigint) => wallet.check({ agentId, intent: transferIntent(address, { amount }) });
    expect(await check(100_000_000n)).toMatchObject({ allowed: true, rule: '', valueUsdMicros: 100_000_000n });
    expect(await check(100_000_001n)).toMatchObject({ allowed: false, rule: 'single_transaction_limit' });
    const unpriced = await wallet.check({ agentId, intent: transferIntent(address, { mint: newMint(undefined) }) });
    expect(unpriced).toMatchObject({ allowed: false, rule: 'price_unavailable' });
    expect(unpriced.valueUsdMicros).toBeUndefined();
    expect(unpriced.usage).toMatchObject({ reservedUsdMicros: 0n, remainingTodayUsdMicros: 500_000_000n });
    expect(await service.database.rows('select 1 from reservations where agent_id = $1', agentId)).toEqual([]);
  });

  it('is open to predictions, for reading only', async () => {
    const prediction = await service.as('prediction');
    expect((await prediction.check({ agentId, intent: transferIntent(address) })).allowed).toBe(true);
  });
});

describe('usage', () => {
  it('says what is left', async () => {
    await reservedFor(transferIntent(address, { amount: 90_000_000n }));
    const usage = await gateway.getUsage({ agentId });
    expect(usage).toMatchObject({
      usedUsdMicros: 0n,
      reservedUsdMicros: 90_000_000n,
      remainingTodayUsdMicros: 410_000_000n,
      maxAllowedNowUsdMicros: 100_000_000n,
      resetsAtMs: 0n,
    });
    expect(Math.abs(Number(usage.windowStartsAtMs) + 24 * 3_600_000 - Date.now())).toBeLessThan(10_000);
  });
});
