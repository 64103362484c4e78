import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode, errorEntry, newId } from '@agent-wallet/kernel';
import { transferRecord } from '../src/http/contract/records.js';
import type { Client, Reply } from './client.js';
import { CONFIRMED, historyRecord, RECIPIENT, SIGNATURE, SUBMITTED, USDC } from './default-script.js';
import { eventually, World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({
    rateLimits: { clientPerMinute: 10_000, agentPerMinute: 10_000, passcodesPerTenMinutes: 100, triesPerPasscode: 5 },
  });
}, 60_000);
beforeEach(async () => {
  await world.reset();
  ({ client, agentId } = await world.login());
});
afterAll(() => world.close());

const BODY = { to: RECIPIENT, amount: 64.1, mint: 'USDC' };
const UUID = /^[0-9a-f-]{36}$/;

type Transfer = (request: walletV1.TransferRequest) => Promise<walletV1.TransferResponse>;

/** Lets the wallet answer so, and says what it was asked. What earlier tests left open stays open. */
function walletDoes(transfer: Transfer, agents = [agentId]): walletV1.TransferRequest[] {
  const asked: walletV1.TransferRequest[] = [];
  world.script.wallet.transfer = async (request: walletV1.TransferRequest) => {
    if (!agents.includes(request.agentId)) return SUBMITTED;
    asked.push(request);
    return transfer(request);
  };
  return asked;
}

const fails = (code: ErrorCode, options = {}): Transfer => {
  return async () => {
    throw new AppError(code, options);
  };
};

function expectReplayed(first: Reply, second: Reply): void {
  expect([second.status, second.headers['idempotency-status']]).toEqual([first.status, 'cached']);
  expect(second.text).toBe(first.text);
}

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
        signature: SIGNATURE,
        explorerUrl: `https://explorer.solana.com/tx/${SIGNATURE}`,
        amount: '64.1 USDC',
        amountRaw: '64100000',
        mint: USDC,
        amountSent: 64.1,
        fee: 0,
        feeMode: 'added',
        totalDeducted: 64.1,
        recipient: RECIPIENT,
      },
    });
    expect(transferRecord.safeParse(answer.body.data).success).toBe(true);
    expect(asked[0]).toMatchObject({ to: RECIPIENT, token: 'USDC', amount: '64.1', memo: 'rent' });
  });

  it('shows the native coin with a null mint, and a fee that was deducted', async () => {
    walletDoes(async () => ({ ...CONFIRMED, mint: '', symbol: 'SOL', decimals: 9, feeDeducted: true, fee: 1n }));
    const { data } = (await client.transfer({ to: RECIPIENT, amount: 0.0641 })).body;
    expect(data).toMatchObject({ mint: null, amount: '0.0641 SOL', feeMode: 'deducted' });
  });

  it.each([
    ['64.10', '64.10'],
    ['1e-7', '1e-7'],
    ['18446744073709551615', '18446744073709551615'],
    ['0.000000000000000001', '0.000000000000000001'],
  ])('takes the amount %s by its digits', async (text, expected) => {
    const asked = walletDoes(async () => CONFIRMED);
    await client.call('POST', '/wallets/me/actions/transfer', { raw: `{"to":"${RECIPIENT}","amount":${text}}` });
    expect(asked[0]?.amount).toBe(expected);
  });

  it.each([
    ['"64.1"', 'must be a JSON number'],
    ['0', 'must be greater than 0'],
    ['-0.0', 'must be greater than 0'],
    ['-1', 'must be greater than 0'],
    ['1e400', 'is larger than any balance can be'],
    ['1e-400', 'has more decimals than the token'],
    ['null', 'must be a JSON number'],
    ['{"isLosslessNumber":true,"value":"5"}', 'must be a JSON number'],
    [`1${'0'.repeat(200)}`, 'is not a number of a sensible length'],
  ])('refuses the amount %s', async (text, reason) => {
    const asked = walletDoes(async () => CONFIRMED);
    const raw = `{"to":"${RECIPIENT}","amount":${text}}`;
    const answer = await client.call('POST', '/wallets/me/actions/transfer', { raw });
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'amount', reason }] });
    expect(asked).toEqual([]);
  });

  it('refuses what is no transfer, naming every field', async () => {
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
    const dry = await client.call('POST', '/wallets/me/actions/transfer?dryRun=true', { body: BODY });
    expect([dry.status, dry.body.data.details[0].field]).toEqual([400, 'dryRun']);
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
      requestedUsdMicros: '64100001',
      maxAllowedNowUsdMicros: '9900000',
      resetsAtMs: '1763719200000',
      suggestion: 'Send at most $9.90 now.',
    };
    walletDoes(fails('POLICY_VIOLATION', { data: facts }));
    const answer = await client.transfer(BODY);
    expect(answer.status).toBe(403);
    expect(answer.body.data).toEqual({
      code: 'POLICY_VIOLATION',
      requestId: expect.stringMatching(UUID),
      retryable: false,
      rule: 'daily_limit',
      limitUsd: 500,
      usedUsd: 490.1,
      requestedUsd: 64.100001,
      maxAllowedNowUsd: 9.9,
      resetsAt: '2025-11-21T10:00:00.000Z',
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
      resetsAt: null,
      suggestion: null,
    });
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

describe('an idempotency key', () => {
  it('answers a repeat in the duplicate shape', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    const first = await client.transfer(BODY, 'key 1');
    expect([first.status, first.headers['idempotency-status']]).toEqual([200, 'fresh']);
    const second = await client.transfer(BODY, 'key 1');
    expect(second.headers['idempotency-status']).toBe('cached');
    expect(second.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.stringMatching(/already processed/),
      data: { cached: true, originalResponse: first.body.data },
    });
    expect(asked).toHaveLength(1);
  });

  it('tells fifty at once apart: one effect, one fresh answer', async () => {
    let effects = 0;
    walletDoes(async () => {
      effects += 1;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return CONFIRMED;
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.transfer(BODY, 'fifty')));
    const fresh = answers.filter((answer) => answer.headers['idempotency-status'] === 'fresh');
    expect([effects, fresh.length, fresh[0]?.status]).toEqual([1, 1, 200]);
    for (const answer of answers) {
      if (answer === fresh[0]) continue;
      if (answer.status === 409) {
        expect(answer.body.data.code).toBe('IDEMPOTENCY_IN_PROGRESS');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      } else expect([answer.status, answer.body.data.cached]).toEqual([200, true]);
    }
  });

  it('refuses another body, and takes the same body written otherwise', async () => {
    await client.transfer(BODY, 'mismatch');
    const other = await client.transfer({ ...BODY, amount: 64.2 }, 'mismatch');
    expect([other.status, other.body.data.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const raw = `{ "mint":"USDC", "amount":6.410e1, "to":"${RECIPIENT}" }`;
    const headers = { 'idempotency-key': 'mismatch' };
    const same = await client.call('POST', '/wallets/me/actions/transfer', { raw, headers });
    expect([same.status, same.body.data.cached]).toEqual([200, true]);
  });

  it('belongs to its agent', async () => {
    const other = await world.login();
    const asked = walletDoes(async () => CONFIRMED, [agentId, other.agentId]);
    await client.transfer(BODY, 'shared');
    expect((await other.client.transfer(BODY, 'shared')).headers['idempotency-status']).toBe('fresh');
    expect(asked[0]?.operationId).not.toBe(asked[1]?.operationId);
  });

  it('has 1 to 128 printable characters', async () => {
    for (const key of ['', 'x'.repeat(129), 'tab\there', 'ümlaut']) {
      const answer = await client.transfer(BODY, Buffer.from(key).toString('latin1'));
      expect([answer.status, answer.body.data.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
    }
    const twice = await client.post('/wallets/me/actions/transfer', BODY, { 'idempotency-key': ['a', 'b'] });
    expect(twice.body.data.code).toBe('INVALID_IDEMPOTENCY_KEY');
    expect((await client.transfer(BODY, 'x'.repeat(128))).status).toBe(200);
    expect((await client.transfer(BODY, 'x')).status).toBe(200);
  });

  it.each(['POLICY_VIOLATION', 'INSUFFICIENT_FUNDS', 'TRANSACTION_EXPIRED', 'UPSTREAM_ERROR'] as const)(
    'keeps a failure with %s and replays it',
    async (code) => {
      const asked = walletDoes(fails(code));
      const first = await client.transfer(BODY, code);
      expect(first.headers['idempotency-status']).toBe('fresh');
      walletDoes(async () => CONFIRMED);
      expectReplayed(first, await client.transfer(BODY, code));
      expect(asked).toHaveLength(1);
    },
  );

  it.each(['VALIDATION_ERROR', 'UNKNOWN_TOKEN', 'INVALID_ADDRESS'] as const)(
    'stays free when the wallet answers %s',
    async (code) => {
      walletDoes(fails(code));
      expect((await client.transfer(BODY, code)).status).toBe(400);
      const asked = walletDoes(async () => CONFIRMED);
      const corrected = await client.transfer({ ...BODY, amount: 1 }, code);
      expect([corrected.status, asked.length]).toEqual([200, 1]);
    },
  );

  it('stays free when the request is refused before', async () => {
    expect((await client.transfer({ ...BODY, amount: 0 }, 'free')).status).toBe(400);
    expect((await world.client.transfer(BODY, 'free')).status).toBe(401);
    expect((await client.transfer(BODY, 'free')).headers['idempotency-status']).toBe('fresh');
  });

  it('counts as new 24 hours after the final answer, and not before', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    await client.transfer(BODY, 'old');
    const day = 24 * 3_600_000;
    world.clock.aheadMs = day - 5_000;
    expect((await client.transfer(BODY, 'old')).headers['idempotency-status']).toBe('cached');
    world.clock.aheadMs = day + 1_000;
    const anew = await client.transfer({ ...BODY, amount: 1 }, 'old');
    expect([anew.status, anew.headers['idempotency-status']]).toEqual([200, 'fresh']);
    expect(asked[0]?.operationId).not.toBe(asked[1]?.operationId);
  });
});

describe('an open outcome', () => {
  it('is a 202; a repeat shows the present state, and the final one once it is known', async () => {
    const asked = walletDoes(async () => SUBMITTED);
    const first = await client.transfer(BODY, 'open');
    const transactionId = asked[0]?.operationId;
    expect([first.status, first.body.statusCode]).toEqual([202, 202]);
    expect(first.body.data).toEqual({ status: 'submitted', transactionId });

    walletDoes(async () => ({ ...SUBMITTED, signature: SIGNATURE }));
    const second = await client.transfer(BODY, 'open');
    expect([second.status, second.headers['idempotency-status']]).toEqual([202, 'cached']);
    expect(second.body.data).toMatchObject({ status: 'submitted', transactionId, signature: SIGNATURE });

    walletDoes(async () => CONFIRMED);
    const third = await client.transfer(BODY, 'open');
    expect(third.status).toBe(200);
    expect(third.body.data).toMatchObject({ cached: true, originalResponse: { transactionId, status: 'confirmed' } });
  });

  it('is resolved by itself, even when nobody asks', async () => {
    let confirmed = false;
    const asked = walletDoes(async () => (confirmed ? CONFIRMED : SUBMITTED));
    await client.transfer(BODY, 'alone');
    confirmed = true;
    const state = async () => {
      const found = await world.database.pool.query('select state from requests where operation_id = $1', [
        asked[0]?.operationId,
      ]);
      return found.rows[0].state as string;
    };
    await eventually(async () => (await state()) === 'final');
    expect(new Set(asked.map(({ operationId }) => operationId)).size).toBe(1);
    expect((await client.transfer(BODY, 'alone')).body.data.originalResponse.status).toBe('confirmed');
  });

  it('a failure found later is kept and replayed', async () => {
    walletDoes(async () => SUBMITTED);
    await client.transfer(BODY, 'later');
    walletDoes(fails('TRANSACTION_EXPIRED'));
    const second = await client.transfer(BODY, 'later');
    expect([second.status, second.body.data.code]).toEqual([504, 'TRANSACTION_EXPIRED']);
    expectReplayed(second, await client.transfer(BODY, 'later'));
  });

  it('stays open when the service that owns it is in trouble: that says nothing about the money', async () => {
    walletDoes(async () => SUBMITTED);
    await client.transfer(BODY, 'trouble');
    walletDoes(fails('SERVICE_UNAVAILABLE'));
    expect((await client.transfer(BODY, 'trouble')).status).toBe(202);
    world.script.history.getTransaction = async ({ transactionId }) => ({
      transaction: historyRecord(transactionId, 'failed'),
    });
    expect((await client.transfer(BODY, 'trouble')).status).toBe(503);
  });

  it('shows in history before its events have arrived there', async () => {
    walletDoes(async () => SUBMITTED);
    const { transactionId } = (await client.transfer({ ...BODY, amount: 0.1 })).body.data;
    const answer = await client.get(`/wallets/me/history/${transactionId}`);
    expect(answer.status).toBe(200);
    expect(answer.body.data.transaction).toEqual({
      id: transactionId,
      action: 'transfer',
      asset: 'USDC',
      amount: 0.1,
      amountRaw: null,
      to: RECIPIENT,
      signature: null,
      status: 'submitted',
      metadata: {},
      createdAt: expect.any(String),
    });
    const other = (await world.login()).client;
    expect((await other.get(`/wallets/me/history/${transactionId}`)).status).toBe(404);
  });
});

describe('a wallet service that dies', () => {
  it('before anything was sent: 503, and the key is free', async () => {
    const asked = walletDoes(async () => CONFIRMED);
    await world.services.wallet.kill();
    const answer = await client.transfer(BODY, 'dead');
    expect([answer.status, answer.body.data.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await world.services.wallet.restart();
    expect(asked).toEqual([]);
    await eventually(async () => (await client.get('/readyz')).status === 200);
    expect((await client.transfer({ ...BODY, amount: 3 }, 'dead')).headers['idempotency-status']).toBe('fresh');
    expect(asked).toHaveLength(1);
  });

  it('in the middle of the call: the same operation is asked for again', async () => {
    let died = false;
    const asked = walletDoes(async () => {
      if (died) return CONFIRMED;
      died = true;
      return new Promise(() => undefined);
    });
    const answer = client.transfer(BODY, 'mid-call');
    await eventually(() => asked.length === 1);
    await world.services.wallet.kill();
    await world.services.wallet.restart();
    const { status, body } = await answer;
    expect([status, body.data.status]).toEqual([200, 'confirmed']);
    expect(new Set(asked.map(({ operationId }) => operationId)).size).toBe(1);
  });

  it('and stays away: 202 within 25 seconds, then the truth', async () => {
    const asked = walletDoes(() => new Promise(() => undefined));
    const startedAtMs = performance.now();
    const answering = client.transfer(BODY, 'away');
    await eventually(() => asked.length === 1);
    await world.services.wallet.kill();
    const answer = await answering;
    const tookMs = performance.now() - startedAtMs;
    expect([answer.status, answer.body.data.transactionId]).toEqual([202, asked[0]?.operationId]);
    expect(tookMs).toBeLessThan(25_000);
    expect((await client.transfer(BODY, 'away')).status).toBe(202);
    walletDoes(async () => CONFIRMED);
    await world.services.wallet.restart();
    await eventually(async () => (await client.transfer(BODY, 'away')).status === 200);
  }, 60_000);
});

describe('a gateway that died', () => {
  /** What a gateway leaves that was killed after its claim. */
  async function leaveClaim(key: string | null, ageMs = 60_000): Promise<string> {
    walletDoes(async () => SUBMITTED);
    const first = await client.transfer(BODY, key ?? 'left behind');
    const operationId = first.body.data.transactionId as string;
    await world.database.pool.query(
      `update requests set state = 'claimed', idempotency_key = $2, leased_until = clock_timestamp() - interval '1 s',
         look_at = clock_timestamp(), created_at = clock_timestamp() - $3 * interval '1 ms' where operation_id = $1`,
      [operationId, key, ageMs],
    );
    return operationId;
  }

  it('leaves an operation that a repeat takes over', async () => {
    const operationId = await leaveClaim('taken over');
    const asked = walletDoes(async () => CONFIRMED);
    const answer = await client.transfer(BODY, 'taken over');
    expect([answer.status, answer.headers['idempotency-status']]).toEqual([200, 'fresh']);
    expect(answer.body.data.transactionId).toBe(operationId);
    expect(asked.map((request) => request.operationId)).toEqual([operationId]);
  });

  it('leaves nothing that starts by itself', async () => {
    const operationId = await leaveClaim(null);
    const asked = walletDoes(async () => CONFIRMED);
    await eventually(async () => {
      const { rows } = await world.database.pool.query('select looks from requests where operation_id = $1', [
        operationId,
      ]);
      return rows[0].looks > 0;
    });
    expect(asked.filter((request) => request.operationId === operationId)).toEqual([]);
  });

  it('leaves what history proves to exist to be resolved', async () => {
    world.script.history.getTransaction = async ({ transactionId }) => ({
      transaction: historyRecord(transactionId, 'submitted'),
    });
    const operationId = await leaveClaim('proven');
    walletDoes(async () => CONFIRMED);
    await eventually(async () => {
      const { rows } = await world.database.pool.query('select state from requests where operation_id = $1', [
        operationId,
      ]);
      return rows[0].state === 'final';
    });
  });

  it('leaves a claim that nobody knows to be forgotten after a day', async () => {
    const operationId = await leaveClaim('forgotten', 25 * 3_600_000);
    await eventually(async () => {
      const { rowCount } = await world.database.pool.query('select from requests where operation_id = $1', [
        operationId,
      ]);
      return rowCount === 0;
    });
  });

  it('is not mistaken for one that is slow: a running claim is renewed', async () => {
    let release: (() => void) | undefined;
    const asked = walletDoes(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return CONFIRMED;
    });
    const slow = client.transfer(BODY, 'slow');
    await eventually(() => asked.length === 1);
    const until = performance.now() + 8_000;
    while (performance.now() < until) {
      expect((await client.transfer(BODY, 'slow')).status).toBe(409);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    release?.();
    expect([(await slow).status, asked.length]).toEqual([200, 1]);
  }, 20_000);
});

it('a transfer of an operation id that history knows is read from there', async () => {
  const id = newId();
  world.script.history.getTransaction = async ({ transactionId }) => ({ transaction: historyRecord(transactionId) });
  const answer = await client.get(`/wallets/me/history/${id}`);
  expect(answer.body.data.transaction).toMatchObject({ id, amount: 64.1, metadata: { memo: 'rent', fee: 0.1 } });
  expect(answer.text).toContain('"fee":0.10');
});
