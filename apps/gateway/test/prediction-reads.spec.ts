import { predictionV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { orderRecord } from '../src/api/predictions/orders-route.js';
import { positionsRecord } from '../src/api/predictions/positions-route.js';
import type { Client } from './client.js';
import { expectFailure } from './expect-failure.js';
import { fails } from './prediction-does.js';
import { CANCELLED, OPEN_POSITION, ORDER, SOLD } from './prediction-script.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
let agentId: string;
beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  ({ client, agentId } = await world.login());
});
beforeEach(() => world.reset());
afterAll(() => world.close());

describe('what an agent holds', () => {
  it('is a balance in cents, rounded down, with the exact dollars', async () => {
    expect((await client.get('/predictions/balance')).body.data).toEqual({
      balanceCents: 600,
      balanceDollars: 6.009999,
      reservedCents: 113,
      reservedDollars: 1.13,
      availableCents: 487,
      availableDollars: 4.879999,
    });
  });

  it('is positions with their worth', async () => {
    const { data } = (await client.get('/predictions/positions')).body;
    expect(data).toEqual({
      positions: [
        {
          ticker: ORDER.ticker,
          eventTicker: ORDER.eventTicker,
          side: 'yes',
          quantity: 7,
          lockedQuantity: 1,
          averagePrice: 64.9714,
          averagePriceDollars: '0.649714',
          totalCostDollars: 4.548,
          currentPrice: 62,
          currentPriceDollars: '0.624',
          currentValueDollars: 4.368,
          unrealizedPnlDollars: -0.18,
          settled: false,
          settlementResult: null,
          settlementPayoutDollars: null,
        },
      ],
      summary: { totalPositions: 3, openPositions: 1, settledPositions: 2 },
    });
    expect(positionsRecord.safeParse(data).error).toBeUndefined();
  });

  it.each([
    ['won', predictionV1.SettlementResult.SETTLEMENT_RESULT_WON, 7_000_000n],
    ['lost', predictionV1.SettlementResult.SETTLEMENT_RESULT_LOST, 0n],
    ['void', predictionV1.SettlementResult.SETTLEMENT_RESULT_VOID, 3_500_000n],
    ['scalar', predictionV1.SettlementResult.SETTLEMENT_RESULT_SCALAR, 2_341_969n],
  ])('is what a %s market paid', async (name, result, payoutUsdMicros) => {
    const settled = { ...OPEN_POSITION, currentPriceUsdMicros: undefined, settled: true, result, payoutUsdMicros };
    world.script.prediction.listPositions = async () => ({
      positions: [settled],
      openPositions: 0,
      settledPositions: 1,
    });
    const { data } = (await client.get('/predictions/positions?settled=true')).body;
    expect(data.positions[0]).toMatchObject({
      ...{ settled: true, settlementResult: name, settlementPayoutDollars: Number(payoutUsdMicros) / 1e6 },
      ...{ currentPrice: null, currentValueDollars: null, unrealizedPnlDollars: null },
    });
    expect(positionsRecord.safeParse(data).error).toBeUndefined();
  });

  it.each([
    ['', undefined],
    ['?settled=true', true],
    ['?settled=false', false],
  ])('is asked for with %p', async (query, settled) => {
    const asked: predictionV1.ListPositionsRequest[] = [];
    world.script.prediction.listPositions = async (request: predictionV1.ListPositionsRequest) => {
      asked.push(request);
      return { positions: [], openPositions: 0, settledPositions: 0 };
    };
    expect((await client.get(`/predictions/positions${query}`)).status).toBe(200);
    expect(asked).toEqual([settled === undefined ? { agentId } : { agentId, settled }]);
    expectFailure(await client.get('/predictions/positions?settled=1'), 400, 'VALIDATION_ERROR');
  });

  it('is orders, page by page', async () => {
    const asked: predictionV1.ListOrdersRequest[] = [];
    const open = { ...CANCELLED, eventTicker: '', status: predictionV1.OrderStatus.ORDER_STATUS_UNSPECIFIED };
    world.script.prediction.listOrders = async (request: predictionV1.ListOrdersRequest) => {
      asked.push(request);
      return { orders: [ORDER, SOLD.facts!.order!, CANCELLED, open], cursor: 'more' };
    };
    const { data } = (await client.get('/predictions/orders?ticker=T&limit=100&cursor=c')).body;
    expect(data.orders[0]).toEqual({
      transactionId: ORDER.operationId,
      orderId: ORDER.orderId,
      ticker: ORDER.ticker,
      eventTicker: ORDER.eventTicker,
      side: 'yes',
      action: 'buy',
      count: 7,
      requestedCount: 10,
      pricePerContract: 64.9714,
      pricePerContractDollars: '0.649714',
      totalDollars: 4.548,
      feeDollars: 0.1116,
      status: 'partially_filled',
      createdAt: '2026-11-21T10:00:00.000Z',
      filledAt: '2026-11-21T10:00:01.000Z',
    });
    for (const order of data.orders) expect(orderRecord.safeParse(order).error).toBeUndefined();
    expect(data.orders.map(({ status }: { status: string }) => status).slice(1)).toEqual([
      'filled',
      'cancelled',
      'submitted',
    ]);
    await client.get('/predictions/orders');
    expect(asked).toEqual([
      { agentId, ticker: 'T', limit: 100, cursor: 'c' },
      { agentId, ticker: '', limit: 50, cursor: '' },
    ]);
    expect(data.cursor).toBe('more');
    expectFailure(await client.get('/predictions/orders?limit=101'), 400, 'VALIDATION_ERROR');
  });

  it.each(['balance', 'positions', 'orders'])('%s is a 403 with its rule when the switch is off', async (path) => {
    const refuse = fails('POLICY_VIOLATION', { rule: 'prediction_markets_disabled' });
    Object.assign(world.script.prediction, { getBalance: refuse, listPositions: refuse, listOrders: refuse });
    const answer = await client.get(`/predictions/${path}`);
    expectFailure(answer, 403, 'POLICY_VIOLATION');
    expect(answer.body.data.rule).toBe('prediction_markets_disabled');
  });
});
