import { predictionV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buyContracts } from '../src/api/actions/buy-contracts.js';
import { sellContracts } from '../src/api/actions/sell-contracts.js';
import { withdrawPredictionBalance } from '../src/api/actions/withdraw-prediction-balance.js';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { act, BODIES, fails, serviceDoes } from './prediction-does.js';
import { BOUGHT, CANCELLED, ORDER, REFUND, SOLD, WITHDRAWN } from './prediction-script.js';
import { SIGNATURE } from './sample-dry-run.js';
import { GENEROUS } from './wallet-script.js';
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

const BUY = '/predictions/buy';
const SELL = '/predictions/sell';
const WITHDRAW = '/predictions/withdraw';
const BODY = BODIES.buy;
const LINK = `https://explorer.solana.com/tx/${SIGNATURE}`;

const BUY_FIELDS = {
  ticker: ORDER.ticker,
  side: 'yes',
  count: 7,
  requestedCount: 10,
  pricePerContract: 64.9714,
  pricePerContractDollars: '0.649714',
  totalCostDollars: 4.548,
  feeDollars: 0.1116,
  refundedDollars: 2.210401,
  refundedToBalance: false,
};

describe('a buy', () => {
  it('is answered with what was filled, what it cost and what came back', async () => {
    const asked = serviceDoes(world, agentId, 'buy', () => BOUGHT);
    const answer = await act(client, 'buy', { ...BODY, maxPriceCents: 67 });
    expect(answer.body).toEqual({
      status: true,
      statusCode: 200,
      message: expect.any(String),
      data: {
        orderId: ORDER.orderId,
        ...BUY_FIELDS,
        status: 'partially_filled',
        transactionId: asked[0]?.operationId,
        transactionStatus: 'confirmed',
        signature: SIGNATURE,
        explorerUrl: LINK,
        refundSignature: REFUND,
      },
    });
    expect(buyContracts.result.safeParse(answer.body.data).error).toBeUndefined();
    expect(asked[0]).toMatchObject({ agentId, ticker: BODY.ticker, side: 1, count: 10, maxPriceUsdMicros: 670_000n });
  });

  it('of which nothing was filled is a 200: cancelled, and everything came back', async () => {
    serviceDoes(world, agentId, 'buy', () => ({
      ...BOUGHT,
      facts: { ...BOUGHT.facts!, order: CANCELLED, refundedToBalance: true, refundSignature: '' },
    }));
    const { message, data } = (await act(client, 'buy')).body;
    expect(message).toMatch(
      /^Nothing was bought: no offer for 10 contracts .+\. Check the order book, or change the limit\.$/,
    );
    expect(data).toMatchObject({ transactionStatus: 'cancelled', status: 'cancelled', count: 0, orderId: null });
    expect(data).toMatchObject({ pricePerContract: null });
    expect(data).toMatchObject({ refundedToBalance: true, refundSignature: null, totalCostDollars: 0 });
    expect(buyContracts.result.safeParse(data).error).toBeUndefined();
  });

  it('of which a part was filled says how much', async () => {
    const status = predictionV1.OrderStatus.ORDER_STATUS_PARTIALLY_FILLED;
    serviceDoes(world, agentId, 'buy', () => ({
      ...BOUGHT,
      facts: { ...BOUGHT.facts!, order: { ...ORDER, filledHundredths: 350n, status } },
    }));
    const { message, data } = (await act(client, 'buy')).body;
    expect(message).toBe('3.5 of 10 contracts were bought. The rest was cancelled.');
    expect(data).toMatchObject({ transactionStatus: 'confirmed', status: 'partially_filled', count: 3.5 });
  });

  it('of which nothing was taken has no signature', async () => {
    serviceDoes(world, agentId, 'buy', () => ({
      ...{ ...BOUGHT, signature: '' },
      facts: { ...BOUGHT.facts!, order: CANCELLED, refundedUsdMicros: 0n, refundSignature: '' },
    }));
    const { data } = (await act(client, 'buy')).body;
    expect(data).toMatchObject({ status: 'cancelled', signature: null, explorerUrl: null, refundSignature: null });
    expect(buyContracts.result.safeParse(data).error).toBeUndefined();
  });

  it.each([
    ['{"side":"yes","count":1}', 'ticker'],
    ['{"ticker":"","side":"yes","count":1}', 'ticker'],
    ['{"ticker":"T","count":1}', 'side'],
    ['{"ticker":"T","side":"YES","count":1}', 'side'],
    ['{"ticker":"T","side":"yes"}', 'count'],
    ['{"ticker":"T","side":"yes","count":0}', 'count'],
    ['{"ticker":"T","side":"yes","count":-1}', 'count'],
    ['{"ticker":"T","side":"yes","count":1.5}', 'count'],
    ['{"ticker":"T","side":"yes","count":100001}', 'count'],
    ['{"ticker":"T","side":"yes","count":"1"}', 'count'],
    ['{"ticker":"T","side":"yes","count":1,"maxPriceCents":0}', 'maxPriceCents'],
    ['{"ticker":"T","side":"yes","count":1,"maxPriceCents":100}', 'maxPriceCents'],
    ['{"ticker":"T","side":"yes","count":1,"maxPriceCents":50.5}', 'maxPriceCents'],
    ['{"ticker":"T","side":"yes","count":1,"minPriceCents":50}', 'minPriceCents'],
    ['{"ticker":"T","side":"yes","count":1,"maxPriceDollars":0.5}', 'maxPriceDollars'],
    ['{"ticker":"T","side":"yes","count":1,"maxPriceDollars":"1"}', 'maxPriceDollars'],
    ['{"ticker":"T","side":"yes","count":1,"maxPriceDollars":"0.00"}', 'maxPriceDollars'],
    ['{"ticker":"T","side":"yes","count":1,"maxPriceCents":50,"maxPriceDollars":"0.5"}', 'maxPriceDollars'],
  ])('is refused as %s', async (raw, field) => {
    const asked = serviceDoes(world, agentId, 'buy', () => BOUGHT);
    const answer = await client.call('POST', BUY, { raw });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    expect([answer.body.data.details[0].field, asked]).toEqual([field, []]);
  });

  it.each([
    [
      '{"ticker":"T","side":"no","count":1e5,"maxPriceCents":99}',
      { side: 2, count: 100_000, maxPriceUsdMicros: 990_000n },
    ],
    ['{"ticker":"T","side":"no","count":1.0,"maxPriceCents":1}', { side: 2, count: 1, maxPriceUsdMicros: 10_000n }],
    ['{"ticker":"T","side":"no","count":1,"maxPriceDollars":"0.9950"}', { maxPriceUsdMicros: 995_000n }],
    ['{"ticker":"T","side":"yes","count":1}', { side: 1, count: 1 }],
  ])('is asked for as %s', async (raw, expected) => {
    const asked = serviceDoes(world, agentId, 'buy', () => BOUGHT);
    expect((await client.call('POST', BUY, { raw })).status).toBe(200);
    expect(asked[0]).toEqual(expect.objectContaining({ ...expected }));
  });
});

describe('a sale', () => {
  it('is answered with what was sold and what it brought', async () => {
    const asked = serviceDoes(world, agentId, 'sell', () => SOLD);
    const answer = await act(client, 'sell', { ...BODY, side: 'no', count: 7, minPriceCents: 60 });
    expect(answer.body.data).toEqual({
      orderId: ORDER.orderId,
      ticker: ORDER.ticker,
      side: 'no',
      count: 7,
      requestedCount: 7,
      pricePerContract: 64.9714,
      pricePerContractDollars: '0.649714',
      totalProceedsDollars: 4.548,
      feeDollars: 0.1116,
      status: 'filled',
      transactionId: asked[0]?.operationId,
      transactionStatus: 'confirmed',
      paidToBalance: false,
      signature: SIGNATURE,
      explorerUrl: LINK,
    });
    expect(sellContracts.result.safeParse(answer.body.data).error).toBeUndefined();
    expect(asked[0]).toMatchObject({ agentId, side: 2, countHundredths: 700n, minPriceUsdMicros: 600_000n });
    expectFailure(await act(client, 'sell', { ...BODY, maxPriceCents: 60 }), 400, 'VALIDATION_ERROR');
    expectFailure(await act(client, 'sell', { ...BODY, minPriceCents: 100 }), 400, 'VALIDATION_ERROR');
  });

  it.each([
    ['0.5', 50n],
    ['1.50', 150n],
    ['1e-2', 1n],
    ['150000', 15_000_000n],
  ])('of %s contracts is exact', async (count, countHundredths) => {
    const asked = serviceDoes(world, agentId, 'sell', () => SOLD);
    const raw = `{"ticker":"T","side":"yes","count":${count}}`;
    expect((await client.call('POST', SELL, { raw })).status).toBe(200);
    expect(asked[0]).toMatchObject({ countHundredths });
  });

  it.each(['0', '-0.5', '0.001', '1000000000.01', '1e400', '1e-400'])('of %s contracts is refused', async (count) => {
    const asked = serviceDoes(world, agentId, 'sell', () => SOLD);
    const answer = await client.call('POST', SELL, { raw: `{"ticker":"T","side":"yes","count":${count}}` });
    expectFailure(answer, 400, 'VALIDATION_ERROR');
    const reason = 'must be from 0.01 to 1000000000, with at most 2 decimals';
    expect([answer.body.data.details, asked]).toMatchObject([[{ field: 'count', reason }], []]);
  });

  it('of which nothing was filled has no signature', async () => {
    serviceDoes(world, agentId, 'sell', () => ({
      ...SOLD,
      facts: { ...SOLD.facts!, order: CANCELLED },
      signature: '',
    }));
    const { data } = (await act(client, 'sell')).body;
    expect(data).toMatchObject({ status: 'cancelled', count: 0, signature: null, explorerUrl: null });
    expect(sellContracts.result.safeParse(data).error).toBeUndefined();
  });
});

describe('a withdrawal', () => {
  it('is answered with what was paid and what is left', async () => {
    const asked = serviceDoes(world, agentId, 'withdraw', () => WITHDRAWN);
    const answer = await act(client, 'withdraw');
    expect(answer.body.data).toEqual({
      withdrawalId: asked[0]?.operationId,
      transactionId: asked[0]?.operationId,
      status: 'confirmed',
      transactionStatus: 'confirmed',
      amountDollars: 1.13,
      newBalanceDollars: 4.870001,
      signature: SIGNATURE,
      explorerUrl: LINK,
    });
    expect(withdrawPredictionBalance.result.safeParse(answer.body.data).error).toBeUndefined();
    expect(asked[0]).toMatchObject({ agentId, amountUsdMicros: 1_130_000n, cancelIfNotStarted: false });
  });

  it.each([
    ['1.13', 1_130_000n],
    ['0.01', 10_000n],
    ['1.130', 1_130_000n],
    ['113e-2', 1_130_000n],
    ['1e9', 1_000_000_000_000_000n],
  ])('of %s is exact', async (text, amountUsdMicros) => {
    const asked = serviceDoes(world, agentId, 'withdraw', () => WITHDRAWN);
    expect((await client.call('POST', WITHDRAW, { raw: `{"amountDollars":${text}}` })).status).toBe(200);
    expect(asked[0]).toMatchObject({ amountUsdMicros });
  });

  it.each(['0', '-1', '1.135', '1e-3', '"1"', 'null', '1000000000.01', '1e400', '1e-400'])(
    'of %s is refused',
    async (text) => {
      const asked = serviceDoes(world, agentId, 'withdraw', () => WITHDRAWN);
      const answer = await client.call('POST', WITHDRAW, { raw: `{"amountDollars":${text}}` });
      expectFailure(answer, 400, 'VALIDATION_ERROR');
      expect([answer.body.data.details[0].field, asked]).toEqual(['amountDollars', []]);
    },
  );

  it('knows no dry run', async () => {
    expectFailure(await client.post(`${WITHDRAW}?dryRun=true`, { amountDollars: 1 }), 400, 'VALIDATION_ERROR');
  });
});

describe('a dry run', () => {
  const dry = (path: string, body: unknown = BODY) =>
    client.post(`${path}?dryRun=true`, body, { 'idempotency-key': 'dry' });
  const LOOKED = {
    ...{ transactionId: null, status: 'dry_run', transactionStatus: 'dry_run', orderId: null },
    ...{ signature: null, explorerUrl: null, networkFeeLamports: 5000, sponsored: false },
  };

  it('of a buy has every field of the real answer, and what it would come to', async () => {
    const real = serviceDoes(world, agentId, 'buy', () => BOUGHT);
    const answer = await dry(BUY, { ...BODY, maxPriceCents: 67 });
    expect([answer.status, answer.headers['idempotency-status'], real]).toEqual([200, undefined, []]);
    expect(answer.body.data).toMatchObject({ ...LOOKED, ...BUY_FIELDS, policy: { allowed: true, rule: null } });
    expect(buyContracts.dryRunResult!.safeParse(answer.body.data).error).toBeUndefined();
    expect((await act(client, 'buy', BODY, 'dry')).headers['idempotency-status']).toBe('fresh');
  });

  it('of a sale has every field of the real answer, and what it would come to', async () => {
    const real = serviceDoes(world, agentId, 'sell', () => SOLD);
    const { data } = (await dry(SELL)).body;
    expect(data).toMatchObject({ ...LOOKED, count: 7, totalProceedsDollars: 4.548, policy: { allowed: true } });
    expect([sellContracts.dryRunResult!.safeParse(data).error, real]).toEqual([undefined, []]);
  });

  it('answers errors as the real request would', async () => {
    const fail = fails('NO_LIQUIDITY');
    Object.assign(world.script.prediction, { dryRunBuy: fail, dryRunSell: fail });
    expectFailure(await dry(BUY), 400, 'NO_LIQUIDITY');
    expectFailure(await dry(SELL), 400, 'NO_LIQUIDITY');
    expectFailure(await client.post(`${BUY}?dryRun=maybe`, BODY), 400, 'VALIDATION_ERROR');
  });
});
