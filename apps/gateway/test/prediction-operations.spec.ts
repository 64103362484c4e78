import { AppError, errorEntry, retryOf } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { transactionRecord } from '../src/api/history/transactions.js';
import { submittedRecord } from '../src/api/actions/outcome-records.js';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { act, BODIES, fails, OPEN, serviceDoes } from './prediction-does.js';
import { BOUGHT, REFUND, SOLD, WITHDRAWN } from './prediction-script.js';
import { SIGNATURE } from './sample-dry-run.js';
import { FIRST_POLL_MS, GENEROUS, POLLS_OFTEN } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS }, POLLS_OFTEN);
});
beforeEach(async () => {
  await world.reset();
  ({ client, agentId } = await world.login());
});
afterAll(() => world.close());

describe.each([
  ['buy', 'prediction_buy', submittedRecord],
  ['sell', 'prediction_sell', submittedRecord],
  ['withdraw', 'prediction_withdrawal', submittedRecord],
] as const)('%s', (method, action, accepted) => {
  const ask = (body?: unknown, key?: string) => act(client, method, body, key);
  const done = { buy: BOUGHT, sell: SOLD, withdraw: WITHDRAWN }[method];

  it.each([
    'NOT_FOUND',
    'MARKET_CLOSED',
    'MARKET_PAUSED',
    'NO_LIQUIDITY',
    'INSUFFICIENT_FUNDS',
    'INSUFFICIENT_POSITION',
    'POLICY_VIOLATION',
    'TRANSACTION_FAILED',
    'UPSTREAM_ERROR',
    'SERVICE_UNAVAILABLE',
    'UPSTREAM_TIMEOUT',
    'TRANSACTION_EXPIRED',
  ] as const)('that fails with %s says so, and replays it', async (code) => {
    const asked = serviceDoes(world, agentId, method, fails(code));
    const { http } = errorEntry(code);
    const retry = retryOf(code, {}, true);
    const answer = await ask(undefined, code);
    expectFailure(answer, http, code);
    expect(answer.body.data).toMatchObject({ retry, transactionId: asked[0]?.operationId });
    const again = await ask(undefined, code);
    expect([again.text, again.headers['idempotency-status'], asked.length]).toEqual([answer.text, 'cached', 1]);
  });

  it('tells where the money went that came back', async () => {
    serviceDoes(world, agentId, method, fails('MARKET_CLOSED', { signature: SIGNATURE, refundSignature: REFUND }));
    expect((await ask()).body.data).toMatchObject({ signature: SIGNATURE, refundSignature: REFUND });
  });

  it('happens once for a key, and is replayed in the duplicate shape', async () => {
    const asked = serviceDoes(world, agentId, method, () => done);
    const first = await ask(undefined, 'once');
    const second = await ask(undefined, 'once');
    expect([first.headers['idempotency-status'], second.headers['idempotency-status']]).toEqual(['fresh', 'cached']);
    expect([second.body.data, asked.length]).toEqual([{ cached: true, originalResponse: first.body.data }, 1]);
    const other = method === 'withdraw' ? { amountDollars: 1.14 } : { ...BODIES.buy, count: 11 };
    expectFailure(await ask(other, 'once'), 422, 'IDEMPOTENCY_MISMATCH');
  });

  it('is a 202 while its outcome is open, found in history, and resolved by itself', async () => {
    let isDone = false;
    const asked = serviceDoes(world, agentId, method, () => (isDone ? done : OPEN[method]));
    const answer = await ask(undefined, 'open');
    const { transactionId } = answer.body.data;
    expect([answer.status, answer.body.data.status]).toEqual([202, 'submitted']);
    expect(accepted.safeParse(answer.body.data).error).toBeUndefined();
    const shown = (await client.get(`/wallets/me/history/${transactionId}`)).body.data.transaction;
    expect(shown).toMatchObject({ id: transactionId, action, asset: 'USDC', status: 'submitted' });
    expect(shown.amount).toBe(method === 'withdraw' ? 1.13 : null);
    expect(transactionRecord.safeParse(shown).error).toBeUndefined();
    isDone = true;
    await eventually(async () => (await ask(undefined, 'open')).status === 200);
    expect(new Set(asked.map(({ operationId }) => operationId))).toEqual(new Set([transactionId]));
  });

  it('that its caller no longer asks about is polled, and never started', async () => {
    const asked = serviceDoes(world, agentId, method, ({ cancelIfNotStarted }) => {
      if (cancelIfNotStarted) throw new AppError('TRANSACTION_EXPIRED');
      return OPEN[method];
    });
    const { transactionId } = (await ask(undefined, 'left')).body.data;
    world.clock.aheadMs = FIRST_POLL_MS;
    await eventually(() => asked.some(({ cancelIfNotStarted }) => cancelIfNotStarted));
    expect(asked.at(-1)).toMatchObject({
      ...asked[0],
      operationId: transactionId,
      cancelIfNotStarted: true,
      waitMs: 3_500,
    });
    await eventually(async () => (await ask(undefined, 'left')).status === 504);
  });

  it('whose service is away leaves the key free', async () => {
    await world.services.prediction.kill();
    expectFailure(await ask(undefined, 'away'), 503, 'SERVICE_UNAVAILABLE');
    await world.restartServices();
    serviceDoes(world, agentId, method, () => done);
    expect((await ask(undefined, 'away')).status).toBe(200);
  });

  it('needs a token', async () => {
    expectFailure(await world.client.post(`/predictions/${method}`, {}), 401, 'AUTHENTICATION_ERROR');
  });
});
