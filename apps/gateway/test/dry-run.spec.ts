import type { walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode, errorEntry } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { transfer } from '../src/api/actions/transfer.js';
import { unwrapSol } from '../src/api/actions/unwrap-sol.js';
import type { Client } from './client.js';
import { DRY_RUN, RECIPIENT, UNWRAPPED, USDC } from './default-script.js';
import { expectFailure } from './expect-failure.js';
import { factsOf } from './facts.js';
import { BODY, GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
});
beforeEach(async () => {
  await world.reset();
  ({ client } = await world.login());
  const real = async (): Promise<never> => {
    throw new Error('a dry run does nothing');
  };
  Object.assign(world.script.wallet, { transfer: real, unwrap: real });
});
afterAll(() => world.close());

const TRANSFER = '/wallets/me/actions/transfer';
const UNWRAP = '/wallets/me/actions/unwrap-sol';
const NOT_DONE = {
  transactionId: null,
  status: 'dry_run',
  transactionStatus: 'dry_run',
  signature: null,
  explorerUrl: null,
};
const ALLOWED = {
  allowed: true,
  rule: null,
  limitUsd: null,
  usedUsd: 12.5,
  reservedUsd: 2.5,
  remainingUsd: 487.5,
  requestedUsd: 64.100001,
  maxAllowedNowUsd: 100,
  ...{ maxAmountNow: 99.98, maxAmountNowRaw: '99980000' },
  resetsAt: '2025-11-21T10:00:00.000Z',
  approvalRequired: false,
  approvalReasons: [],
  trade: null,
};
const dryTransfer = (body: unknown = BODY) => client.post(`${TRANSFER}?dryRun=true`, body);

/** Lets policy decide otherwise. */
function policyDecides(decision: Partial<walletV1.DryRun['decision'] & object>): void {
  const dryRun = { ...DRY_RUN, decision: { ...DRY_RUN.decision!, ...decision } };
  const { dryRunTransfer } = world.script.wallet;
  world.script.wallet.dryRunTransfer = async (request: walletV1.DryRunTransferRequest) => ({
    ...(await dryRunTransfer(request)),
    dryRun,
  });
}

describe('a dry run of a transfer', () => {
  it('has every field of the real answer, and what it would come to', async () => {
    const asked: walletV1.DryRunTransferRequest[] = [];
    const { dryRunTransfer } = world.script.wallet;
    world.script.wallet.dryRunTransfer = async (request: walletV1.DryRunTransferRequest) => {
      asked.push(request);
      return await dryRunTransfer(request);
    };
    const answer = await dryTransfer({ ...BODY, memo: 'rent' });
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        ...NOT_DONE,
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
        recipient: RECIPIENT,
        policy: ALLOWED,
        networkFeeLamports: 5000,
        sponsored: false,
        balanceChanges: [
          { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '-5000' },
          { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '-64100000' },
        ],
      },
    });
    expect(transfer.dryRunResult!.safeParse(answer.body.data).error).toBeUndefined();
    expect(asked[0]).toMatchObject({ to: RECIPIENT, mint: 'USDC', amount: '64.1', memo: 'rent' });
  });

  it.each([
    ['single_transaction_limit', 100],
    ['daily_limit', 500],
    ['recipient_not_allowed', null],
    ['price_unavailable', null],
    ['frozen', null],
  ])('that policy refuses with %s is a 200 that says so', async (rule, limitUsd) => {
    policyDecides({
      allowed: false,
      rule,
      ...(limitUsd === null ? {} : { limitUsdMicros: BigInt(limitUsd) * 1_000_000n }),
    });
    const { status, body } = await dryTransfer();
    expect([status, body.data.policy]).toEqual([200, { ...ALLOWED, allowed: false, rule, limitUsd }]);
    expect(transfer.dryRunResult!.safeParse(body.data).error).toBeUndefined();
  });

  it('says that the owner would have to approve it, and why', async () => {
    policyDecides({ approval: { reasons: ['above_amount', 'new_recipient'] } });
    const { status, body } = await dryTransfer();
    const approvalReasons = ['above_amount', 'new_recipient'];
    expect([status, body.data.policy]).toEqual([200, { ...ALLOWED, approvalRequired: true, approvalReasons }]);
    expect(transfer.dryRunResult!.safeParse(body.data).error).toBeUndefined();
  });

  it('shows null where there is no price, and where nothing is used', async () => {
    policyDecides({ valueUsdMicros: undefined, usage: { ...DRY_RUN.decision!.usage!, resetsAtMs: 0n } });
    expect((await dryTransfer()).body.data.policy).toEqual({ ...ALLOWED, requestedUsd: null, resetsAt: null });
  });

  it('tells a sponsor, a fee that is deducted, and what comes in as a positive amount', async () => {
    world.script.wallet.dryRunTransfer = async () => ({
      transfer: {
        state: 0,
        signature: '',
        facts: {
          ...{ recipient: RECIPIENT, memo: '', mint: '', symbol: 'SOL', decimals: 9, amount: 1_000n },
          ...{
            amountSent: 990n,
            fee: 10n,
            feeDeducted: true,
            totalDeducted: 1_000n,
            rentLamports: 0n,
            sponsored: true,
          },
        },
        networkFeeLamports: 10_000n,
      },
      dryRun: {
        ...DRY_RUN,
        sponsored: true,
        networkFeeLamports: 10_000n,
        balanceChanges: [
          { mint: '', symbol: 'SOL', decimals: 9, amount: 18_446_744_073_709_551_615n, isDebit: false },
          { mint: USDC, symbol: 'USDC', decimals: 6, amount: 0n, isDebit: true },
        ],
      },
    });
    const { data } = (await dryTransfer()).body;
    expect(data).toMatchObject({ feeMode: 'deducted', fee: 1e-8, amountSent: 9.9e-7, totalDeducted: 0.000001 });
    expect(data).toMatchObject({ sponsored: true, networkFeeLamports: 10_000 });
    expect(data.balanceChanges).toEqual([
      { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '18446744073709551615' },
      { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '0' },
    ]);
  });

  const CODES: ErrorCode[] = [
    'UNKNOWN_TOKEN',
    'INVALID_ADDRESS',
    'INSUFFICIENT_FUNDS',
    'UNSAFE_TOKEN',
    'VALIDATION_ERROR',
    'UPSTREAM_ERROR',
    'UPSTREAM_TIMEOUT',
    'SERVICE_UNAVAILABLE',
  ];
  it.each(CODES)('answers %s as the real request would', async (code) => {
    const error = AppError.received(code, { data: factsOf(code, { missingLamports: '2039280' }) });
    const fail = async (): Promise<never> => {
      throw error;
    };
    Object.assign(world.script.wallet, { dryRunTransfer: fail, transfer: fail });
    const { http } = errorEntry(code);
    const [dry, real] = [await dryTransfer(), await client.transfer(BODY)];
    expectFailure(dry, http, code);
    expectFailure(real, http, code);
    expect(dry.body.message).toBe(real.body.message);
    expect(dry.body.data.missingLamports).toBe(code === 'INSUFFICIENT_FUNDS' ? 2_039_280 : undefined);
  });

  it('refuses a bad body as the real request does, and needs a token', async () => {
    const bad = { ...BODY, amount: 0, more: 1 };
    const [dry, real] = [await dryTransfer(bad), await client.transfer(bad)];
    expect([dry.status, dry.body.data.details]).toEqual([400, real.body.data.details]);
    expectFailure(await world.client.post(`${TRANSFER}?dryRun=true`, BODY), 401, 'AUTHENTICATION_ERROR');
  });

  it('answers 503 when the wallet is away', async () => {
    await world.services.wallet.kill();
    expectFailure(await dryTransfer(), 503, 'SERVICE_UNAVAILABLE');
  });
});

describe('a dry run of an unwrap', () => {
  it('has every field of the real answer, and what it would come to', async () => {
    const asked: walletV1.DryRunUnwrapRequest[] = [];
    const { dryRunUnwrap } = world.script.wallet;
    world.script.wallet.dryRunUnwrap = async (request: walletV1.DryRunUnwrapRequest) => {
      asked.push(request);
      return await dryRunUnwrap(request);
    };
    const answer = await client.post(`${UNWRAP}?dryRun=true`, { amount: 1.5 });
    expect([answer.status, answer.body.data]).toEqual([
      200,
      {
        ...NOT_DONE,
        amount: '1.5 SOL',
        amountRaw: '1500000000',
        policy: ALLOWED,
        networkFeeLamports: 5000,
        sponsored: false,
        balanceChanges: [
          { mint: null, symbol: 'SOL', decimals: 9, amountRaw: '-5000' },
          { mint: USDC, symbol: 'USDC', decimals: 6, amountRaw: '-64100000' },
        ],
      },
    ]);
    expect(unwrapSol.dryRunResult!.safeParse(answer.body.data).error).toBeUndefined();
    expect((await client.post(`${UNWRAP}?dryRun=true`)).status).toBe(200);
    expect(asked.map(({ amount }) => amount)).toEqual(['1.5', '']);
  });

  it('answers an error as the real request would', async () => {
    const fail = async (): Promise<never> => {
      throw new AppError('INSUFFICIENT_FUNDS');
    };
    Object.assign(world.script.wallet, { dryRunUnwrap: fail, unwrap: fail });
    expectFailure(await client.post(`${UNWRAP}?dryRun=true`), 400, 'INSUFFICIENT_FUNDS');
    expectFailure(await client.post(UNWRAP), 400, 'INSUFFICIENT_FUNDS');
  });
});

describe('?dryRun', () => {
  it.each([TRANSFER, UNWRAP])('of %s takes true and false, and nothing else', async (path) => {
    const body = path === TRANSFER ? BODY : {};
    for (const query of ['TRUE', '1', 'yes', '', 'true&dryRun=true', 'true&dryRun=false']) {
      const answer = await client.post(`${path}?dryRun=${query}`, body);
      expectFailure(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.data.details).toMatchObject([{ field: 'dryRun', reason: 'must be true or false' }]);
    }
    expectFailure(await client.post(`${path}?dryrun=true`, body), 400, 'VALIDATION_ERROR');
    expect((await client.post(`${path}?dryRun=true`, body)).body.data.status).toBe('dry_run');
  });

  it('false is the real thing', async () => {
    world.script.wallet.unwrap = async () => ({ ...UNWRAPPED, signature: 'x' });
    expect((await client.post(`${UNWRAP}?dryRun=false`)).body.data.status).toBe('confirmed');
  });
});

describe('a dry run', () => {
  /** Everything the gateway keeps, except the counters of requests and what it takes from the event stream. */
  async function kept(): Promise<Record<string, string>> {
    const { rows: tables } = await world.database.pool.query<{ name: string }>(
      `select table_name as name from information_schema.tables
       where table_schema = current_schema() and table_name !~ '^(rate_windows|event_positions|notice)' order by 1`,
    );
    expect(tables.length).toBeGreaterThan(4);
    const found: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await world.database.pool.query(`select t::text from ${name} as t order by 1`);
      found[name] = JSON.stringify(rows);
    }
    return found;
  }

  it('changes nothing, ignores an idempotency key and leaves it free', async () => {
    await client.post('/connect/validate'); // the first use of a session is stored
    await eventually(async () => (await kept())['outbox'] === '[]');
    const before = await kept();
    for (const key of ['dry', 'dry']) {
      for (const path of [TRANSFER, UNWRAP]) {
        const body = path === TRANSFER ? BODY : {};
        const answer = await client.post(`${path}?dryRun=true`, body, { 'idempotency-key': key });
        expect([answer.status, answer.headers['idempotency-status']]).toEqual([200, undefined]);
      }
    }
    const refused = await client.post(`${TRANSFER}?dryRun=true`, BODY, { 'idempotency-key': 'x'.repeat(200) });
    expect([refused.status, refused.body.data.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
    expect(await kept()).toEqual(before);
    world.script.wallet.unwrap = async () => ({ ...UNWRAPPED, signature: 'x' });
    const real = await client.post(UNWRAP, {}, { 'idempotency-key': 'dry' });
    expect([real.status, real.headers['idempotency-status']]).toEqual([200, 'fresh']);
    expect(await kept()).not.toEqual(before);
  });
});
