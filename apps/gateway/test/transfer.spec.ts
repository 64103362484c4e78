import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ErrorCode, errorEntry, newId } from '@agent-wallet/kernel';
import { transfer } from '../src/api/actions/transfer.js';
import type { Client } from './client.js';
import { CONFIRMED, historyRecord, RECIPIENT, SENT, SIGNATURE, USDC } from './default-script.js';
import { BODY, fails, GENEROUS, type Transfer, walletDoes as scriptWallet } from './wallet-script.js';
import { expectFailure } from './expect-failure.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
});
beforeEach(async () => {
  await world.reset();
  ({ client, agentId } = await world.login());
});
afterAll(() => world.close());

const walletDoes = (transfer: Transfer) => scriptWallet(world, [agentId], transfer);

const UUID = /^[0-9a-f-]{36}$/;

describe('a transfer', () => {
  it('is answered as the specification says, with exact numbers', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    const answer = await client.transfer({ ...BODY, memo: 'rent' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        transactionId: asked[0]?.operationId,
        status: 'confirmed',
        transactionStatus: 'confirmed',
        signature: SIGNATURE,
        explorerUrl: `https://explorer.solana.com/tx/${SIGNATURE}`,
        amount: '64.1 USDC',
        amountRaw: '64100000',
        mint: USDC,
        amountSent: 64.1,
        amountSentRaw: '64100000',
        fee: 0,
        feeRaw: '0',
        feeMode: 'added',
        totalDeducted: 64.1,
        totalDeductedRaw: '64100000',
        rentLamports: 2039280,
        networkFeeLamports: 5000,
        recipient: RECIPIENT,
      },
    });
    expect(transfer.result.safeParse(answer.body.data).success).toBe(true);
    expect(asked[0]).toMatchObject({ to: RECIPIENT, mint: 'USDC', amount: '64.1', memo: 'rent' });
  });

  it('takes base units in place of the amount, exactly', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    const order = { to: RECIPIENT, amountRaw: '1000000000000000001', mint: 'USDC' };
    expect((await client.transfer(order)).status).toBe(200);
    expect(asked[0]).toMatchObject({ amount: '', amountRaw: 1_000_000_000_000_000_001n });
    await client.transfer(BODY);
    expect(asked[1]).toMatchObject({ amount: '64.1' });
    expect(asked[1]?.amountRaw).toBeUndefined();
  });

  it.each([
    ['amount', 'required', {}],
    ['amountRaw', 'duplicate', { amount: 1, amountRaw: '1' }],
    ['amountRaw', 'invalid_format', { amountRaw: '01' }],
    ['amountRaw', 'invalid_format', { amountRaw: '1.5' }],
    ['amountRaw', 'invalid_format', { amountRaw: '' }],
    ['amountRaw', 'wrong_type', { amountRaw: 5 }],
    ['amountRaw', 'wrong_type', { amountRaw: null }],
  ])('names %s as %s when it is given %j', async (field, problem, amount) => {
    const asked = walletDoes(async () => CONFIRMED);
    const { body } = await client.call('POST', '/wallets/me/actions/transfer', { body: { to: RECIPIENT, ...amount } });
    expect(body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field, problem }] });
    expect(asked).toEqual([]);
  });

  it('sends the native coin for a null mint, as previews show it', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    const reply = await client.post('/wallets/me/actions/transfer', { to: RECIPIENT, amount: 1, mint: null });
    expect(reply.status).toBe(200);
    expect(asked).toMatchObject([{ mint: '' }]);
  });

  it('shows the native coin with a null mint', async () => {
    walletDoes(async () => ({ ...CONFIRMED, facts: { ...SENT, mint: '', symbol: 'SOL', decimals: 9 } }));
    const { data } = (await client.transfer({ to: RECIPIENT, amount: 0.0641 })).body;
    expect(data).toMatchObject({ mint: null, amount: '0.0641 SOL' });
  });

  it.each([
    ['added', { feeDeducted: false, fee: 700_001n, totalDeducted: 64_800_001n }, [64.1, 0.700001, 64.800001]],
    ['deducted', { feeDeducted: true, fee: 700_001n, amountSent: 63_399_999n }, [63.399999, 0.700001, 64.1]],
  ])("shows an operator's fee that was %s", async (feeMode, change, [amountSent, fee, totalDeducted]) => {
    walletDoes(async () => ({ ...CONFIRMED, facts: { ...SENT, ...change } }));
    const { data } = (await client.transfer(BODY)).body;
    expect(data).toMatchObject({ amount: '64.1 USDC', amountRaw: '64100000', feeMode, amountSent, fee, totalDeducted });
  });

  it("shows what a token's own fee left of the amount", async () => {
    walletDoes(async () => ({ ...CONFIRMED, facts: { ...SENT, amountSent: 63_459_000n } }));
    const { data } = (await client.transfer(BODY)).body;
    expect(data).toMatchObject({ amountSent: 63.459, fee: 0, feeMode: 'added', totalDeducted: 64.1 });
  });

  it.each([
    ['64.10', '64.1'],
    ['1e-7', '0.0000001'],
    ['0.641E2', '64.1'],
    ['18446744073709551615', '18446744073709551615'],
    ['0.000000000000000001', '0.000000000000000001'],
    [`1.${'1'.repeat(60)}e-59`, `1.${'1'.repeat(60)}e-59`], // too long to be written out
  ])('takes the amount %s by its digits', async (text, expected) => {
    const asked = walletDoes(async () => CONFIRMED);
    await client.call('POST', '/wallets/me/actions/transfer', { raw: `{"to":"${RECIPIENT}","amount":${text}}` });
    expect(asked[0]?.amount).toBe(expected);
  });

  it.each([
    ['"64.1"', 'must be a JSON number: write 64.1, without quotes'],
    ['"much"', 'must be a JSON number'],
    ['0', 'must be greater than 0'],
    ['-0.0', 'must be greater than 0'],
    ['-1', 'must be greater than 0'],
    ['1e400', 'is larger than any balance can be'],
    ['1e-400', 'has more decimals than the token'],
    ['null', 'must be a JSON number'],
    ['{"isLosslessNumber":true,"value":"5"}', 'must be a JSON number'],
    [`1${'0'.repeat(200)}`, 'must have at most 100 characters'],
  ])('refuses the amount %s', async (text, reason) => {
    const asked = walletDoes(async () => CONFIRMED);
    const raw = `{"to":"${RECIPIENT}","amount":${text}}`;
    const answer = await client.call('POST', '/wallets/me/actions/transfer', { raw });
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'amount', reason }] });
    expect(asked).toEqual([]);
  });

  it('that is invalid is refused with the name of every wrong field', async () => {
    const cases: Array<[unknown, string[]]> = [
      [{}, ['to', 'amount']],
      [{ ...BODY, to: 7, mint: '' }, ['to', 'mint']],
      [{ ...BODY, memo: 'x'.repeat(257) }, ['memo']],
      [{ ...BODY, memo: 'ü'.repeat(129) }, ['memo']],
      [{ ...BODY, mint: 'US\u0000DC' }, ['mint']],
      [{ ...BODY, more: 1, most: 2 }, ['more', 'most']],
    ];
    for (const [body, fields] of cases) {
      const answer = await client.transfer(body);
      expect(answer.status).toBe(400);
      expect(answer.body.data.details.map((detail: { field: string }) => detail.field)).toEqual(fields);
    }
    expect((await client.transfer({ ...BODY, memo: 'ü'.repeat(128) })).status).toBe(200);
  });

  const definite: ErrorCode[] = [
    'UNKNOWN_TOKEN',
    'INVALID_ADDRESS',
    'INSUFFICIENT_FUNDS',
    'UNSAFE_TOKEN',
    'UPSTREAM_ERROR',
    'SERVICE_UNAVAILABLE',
    'UPSTREAM_TIMEOUT',
    'TRANSACTION_EXPIRED',
  ];
  it.each(definite)('that fails with %s says so', async (code) => {
    walletDoes(fails(code, { message: 'secret upstream text' }));
    const answer = await client.transfer(BODY);
    const { http, retryable } = errorEntry(code);
    expectFailure(answer, http, code);
    expect(answer.body).toMatchObject({ status: false, statusCode: http, data: { code, retryable } });
    expect([answer.status, answer.body.data.requestId]).toEqual([http, answer.headers['x-request-id']]);
    expect(answer.text.includes('secret upstream text')).toBe(http < 500);
  });

  it.each(['CALLER_NOT_ALLOWED', 'SIGNING_REFUSED', 'PERMIT_CONFLICT', 'INTERNAL_ERROR'] as const)(
    'that fails with %s shows an internal error',
    async (code) => {
      walletDoes(fails(code, { message: 'secret' }));
      const answer = await client.transfer(BODY);
      expect([answer.status, answer.body.data.code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(answer.text).not.toContain('secret');
    },
  );

  it('that policy refuses explains itself, with null for what a rule does not have', async () => {
    const facts = {
      rule: 'daily_limit',
      limitUsdMicros: '500000000',
      usedUsdMicros: '490100000',
      reservedUsdMicros: '90000000',
      remainingUsdMicros: '9900000',
      requestedUsdMicros: '64100001',
      maxAllowedNowUsdMicros: '9900000',
      ...{ maxAmountNow: '9.898', maxAmountNowRaw: '9898000' },
      resetsAtMs: 1_763_719_200_000,
      retryAtMs: 1_763_722_800_000,
      suggestion: 'Send at most $9.90 now.',
    };
    walletDoes(fails('POLICY_VIOLATION', { data: facts }));
    const answer = await client.transfer(BODY);
    expect(answer.status).toBe(403);
    expect(answer.body.data).toEqual({
      code: 'POLICY_VIOLATION',
      requestId: expect.stringMatching(UUID),
      retryable: true,
      retry: 'new_key',
      retryAt: '2025-11-21T11:00:00.000Z',
      rule: 'daily_limit',
      limitUsd: 500,
      usedUsd: 490.1,
      reservedUsd: 90,
      remainingUsd: 9.9,
      requestedUsd: 64.100001,
      maxAllowedNowUsd: 9.9,
      ...{ maxAmountNow: 9.898, maxAmountNowRaw: '9898000' },
      resetsAt: '2025-11-21T10:00:00.000Z',
      ...{ inputUsd: null, leastOutputUsd: null, lossPercent: null, maxLossPercent: null },
      suggestion: 'Send at most $9.90 now.',
      transactionId: expect.stringMatching(UUID),
    });
    walletDoes(fails('POLICY_VIOLATION', { data: { rule: 'recipient_not_allowed' } }));
    expect((await client.transfer(BODY)).body.data).toMatchObject({
      rule: 'recipient_not_allowed',
      limitUsd: null,
      usedUsd: null,
      requestedUsd: null,
      maxAllowedNowUsd: null,
      ...{ maxAmountNow: null, maxAmountNowRaw: null },
      resetsAt: null,
      ...{ inputUsd: null, leastOutputUsd: null, lossPercent: null, maxLossPercent: null },
      suggestion: 'Read GET /wallets/me/policy. Only the owner should loosen it.',
    });
  });

  it('of a frozen agent is refused by that rule', async () => {
    walletDoes(fails('POLICY_VIOLATION', { data: { rule: 'frozen', suggestion: 'Ask the operator.' } }));
    const answer = await client.transfer(BODY);
    expect([answer.status, answer.body.data.rule, answer.body.data.limitUsd]).toEqual([403, 'frozen', null]);
  });

  it('that lacks funds names the address to fund', async () => {
    walletDoes(fails('INSUFFICIENT_FUNDS', { data: { asset: 'USDC', decimals: 6, missingRaw: '24100000' } }));
    const { solanaAddress } = (await client.get('/wallets/me')).body.data;
    expect((await client.transfer(BODY)).body.data.suggestion).toBe(
      `Send at least 24.1 USDC to the wallet ${solanaAddress}, or try a smaller amount.`,
    );
  });

  it('that a sponsor may not pay for names the lamports that are missing', async () => {
    walletDoes(fails('INSUFFICIENT_FUNDS', { message: 'Send SOL to the wallet.', data: { missingLamports: '5000' } }));
    const answer = await client.transfer(BODY);
    expect([answer.status, answer.body.message]).toEqual([400, 'Send SOL to the wallet.']);
    expect(answer.body.data).toMatchObject({ code: 'INSUFFICIENT_FUNDS', missingLamports: 5000 });
  });

  it('that landed with an error names signature and fee', async () => {
    walletDoes(fails('TRANSACTION_FAILED', { data: { signature: SIGNATURE, networkFeeLamports: '5000' } }));
    const answer = await client.transfer(BODY);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({
      code: 'TRANSACTION_FAILED',
      signature: SIGNATURE,
      networkFeeLamports: 5000,
    });
  });
});

it('a transfer of an operation id that history knows is read from there', async () => {
  const id = newId();
  world.script.history.getTransaction = async ({ transactionId }) => ({ transaction: historyRecord(transactionId) });
  const answer = await client.get(`/wallets/me/history/${id}`);
  expect(answer.body.data.transaction).toMatchObject({
    id,
    amount: 64.1,
    metadata: { memo: 'rent', amountSent: 64.1 },
  });
  expect(answer.text).toContain('"amountSentRaw":"64100000"');
});
