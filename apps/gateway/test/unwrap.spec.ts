import { walletV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode, errorEntry, type Facts, retryOf } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unwrapSol } from '../src/api/actions/unwrap-sol.js';
import { factsOf } from './facts.js';
import type { Client, Reply } from './client.js';
import { SIGNATURE, UNWRAPPED } from './default-script.js';
import { expectFailure } from './expect-failure.js';
import { BODY, GENEROUS } from './wallet-script.js';
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

const PATH = '/wallets/me/actions/unwrap-sol';
const OPEN = { ...UNWRAPPED, state: walletV1.OperationState.OPERATION_STATE_SUBMITTED, signature: '', amount: 0n };

type Unwrap = (request: walletV1.UnwrapRequest) => Promise<walletV1.UnwrapResponse>;

/** Lets the wallet answer this agent so, and says what it was asked. */
function walletDoes(unwrap: Unwrap): walletV1.UnwrapRequest[] {
  const asked: walletV1.UnwrapRequest[] = [];
  world.script.wallet.unwrap = async (request: walletV1.UnwrapRequest) => {
    if (request.agentId !== agentId) return OPEN;
    asked.push(request);
    return unwrap(request);
  };
  return asked;
}

const fails = (code: ErrorCode, data: Facts = {}): Unwrap => {
  return async () => {
    throw AppError.received(code, { data: factsOf(code, data) });
  };
};

function unwrap(body?: unknown, key?: string): Promise<Reply> {
  return client.post(PATH, body, key === undefined ? {} : { 'idempotency-key': key });
}

describe('an unwrap', () => {
  it('is answered with what became SOL', async () => {
    const asked = walletDoes(async () => UNWRAPPED);
    const answer = await unwrap({ amount: 1.5 });
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        transactionId: asked[0]?.operationId,
        status: 'confirmed',
        transactionStatus: 'confirmed',
        networkFeeLamports: 5000,
        signature: SIGNATURE,
        explorerUrl: `https://explorer.solana.com/tx/${SIGNATURE}`,
        amount: '1.5 SOL',
        amountRaw: '1500000000',
      },
    });
    expect(unwrapSol.result.safeParse(answer.body.data).error).toBeUndefined();
    expect(asked[0]).toMatchObject({ agentId, amount: '1.5', cancelIfNotStarted: false });
  });

  it.each([
    ['no body', {}],
    ['an empty object', { raw: '{}' }],
  ])('with %s asks for all', async (_, options) => {
    const asked = walletDoes(async () => UNWRAPPED);
    expect((await client.call('POST', PATH, options)).status).toBe(200);
    expect(asked[0]?.amount).toBe('');
  });

  it.each([
    ['{"amount":"1"}', 'amount'],
    ['{"amount":0}', 'amount'],
    ['{"amount":-1}', 'amount'],
    ['{"amount":null}', 'amount'],
    ['{"amount":1e400}', 'amount'],
    ['{"all":true}', 'all'],
    ['[]', 'body'],
    ['null', 'body'],
  ])('refuses %s', async (raw, field) => {
    const asked = walletDoes(async () => UNWRAPPED);
    const answer = await client.call('POST', PATH, { raw });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.data.details[0].field).toBe(field);
    expect(asked).toEqual([]);
  });

  it.each([
    'INSUFFICIENT_FUNDS',
    'TRANSACTION_FAILED',
    'POLICY_VIOLATION',
    'UPSTREAM_ERROR',
    'SERVICE_UNAVAILABLE',
    'UPSTREAM_TIMEOUT',
    'TRANSACTION_EXPIRED',
  ] as const)('that fails with %s says so, and replays it', async (code) => {
    const asked = walletDoes(fails(code));
    const { http } = errorEntry(code);
    const retry = retryOf(code, {}, true);
    const answer = await unwrap({}, code);
    expectFailure(answer, http, code);
    expect(answer.body.data).toMatchObject({ retry, transactionId: asked[0]?.operationId });
    const again = await unwrap({}, code);
    expect([again.text, again.headers['idempotency-status']]).toEqual([answer.text, 'cached']);
    expect(asked).toHaveLength(1);
  });

  it('of a frozen wallet is refused by that rule', async () => {
    walletDoes(fails('POLICY_VIOLATION', { rule: 'frozen' }));
    const { data } = (await unwrap()).body;
    expect(data).toMatchObject({ code: 'POLICY_VIOLATION', rule: 'frozen', limitUsd: null, resetsAt: null });
  });

  it('needs a token', async () => {
    expectFailure(await world.client.post(PATH, {}), 401, 'AUTHENTICATION_ERROR');
  });
});

describe('an unwrap with a key', () => {
  it('happens once, and is replayed in the duplicate shape', async () => {
    const asked = walletDoes(async () => UNWRAPPED);
    const first = await unwrap({ amount: 1.5 }, 'once');
    const second = await unwrap({ amount: 1.5 }, 'once');
    expect([first.headers['idempotency-status'], second.headers['idempotency-status']]).toEqual(['fresh', 'cached']);
    expect(second.body.data).toEqual({ cached: true, originalResponse: first.body.data });
    expect(asked).toHaveLength(1);
  });

  it('tells all from an amount, and an unwrap from a transfer', async () => {
    walletDoes(async () => UNWRAPPED);
    await unwrap(undefined, 'mine');
    expect((await unwrap({}, 'mine')).status).toBe(200);
    expectFailure(await unwrap({ amount: 1 }, 'mine'), 422, 'IDEMPOTENCY_MISMATCH');
    expectFailure(await client.transfer(BODY, 'mine'), 422, 'IDEMPOTENCY_MISMATCH');
  });

  it('is a 202 while its outcome is open, found in history, and resolved by itself', async () => {
    let landed = false;
    const asked = walletDoes(async () => (landed ? UNWRAPPED : OPEN));
    const answer = await unwrap({ amount: 1.5 }, 'open');
    const { transactionId } = answer.body.data;
    expect([answer.status, answer.body.data]).toEqual([
      202,
      { status: 'submitted', transactionStatus: 'submitted', transactionId, signature: null, explorerUrl: null },
    ]);
    const shown = (await client.get(`/wallets/me/history/${transactionId}`)).body.data.transaction;
    expect(shown).toMatchObject({ id: transactionId, action: 'unwrap_sol', asset: 'SOL', amount: 1.5 });
    expect(shown).not.toHaveProperty('to');
    landed = true;
    await eventually(async () => (await unwrap({ amount: 1.5 }, 'open')).status === 200);
    expect(new Set(asked.map(({ operationId }) => operationId))).toEqual(new Set([transactionId]));
  });

  it('whose wallet service is away leaves the key free', async () => {
    await world.services.wallet.kill();
    expectFailure(await unwrap({}, 'away'), 503, 'SERVICE_UNAVAILABLE');
    await world.restartServices();
    const asked = walletDoes(async () => UNWRAPPED);
    expect([(await unwrap({ amount: 1 }, 'away')).status, asked.length]).toEqual([200, 1]);
  });
});
