import { Secret, systemClock } from '@agent-wallet/kernel';
import { silent } from '@agent-wallet/platform/testing';
import { casesOf } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenExchange, openExchange } from '../src/adapters/exchange/open-exchange.js';
import { testKey } from './kalshi-server.js';
import { buyToTheEnd, endOf, sellToTheEnd } from './saga-checks.js';
import { SagaWorld } from './saga-world.js';
import { SandboxExchange } from './sandbox-exchange.js';

let world: SagaWorld;
let sandbox: SandboxExchange;
let opened: OpenExchange;
let markets = 0;

beforeAll(async () => {
  [world, sandbox] = await Promise.all([SagaWorld.open(), SandboxExchange.start()]);
  opened = openExchange({
    ...{ baseUrl: sandbox.url, wsUrl: sandbox.wsUrl, apiKeyId: testKey.id, database: world.database },
    privateKey: new Secret(testKey.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    ...{ clock: systemClock, logger: silent },
  });
  await world.tradeAt(opened.exchange);
});

beforeEach(() => world.calm());

afterEach(async () => {
  await world.stopCopies();
  await sandbox.disarm();
});

afterAll(async () => {
  await opened.close();
  await world.close();
  await sandbox.stop();
});

/** A market of its own: yes is bid at 40 and asked at 42 cents, 100 contracts each. */
async function market(): Promise<string> {
  markets += 1;
  const ticker = `SAGA-${markets}`;
  await sandbox.addMarket(ticker);
  return ticker;
}

const ORDERS = { method: 'POST', path: '/portfolio/events/orders' };
const FILLED = { isConfirmed: true, order: { status: 'filled', filled: 1_000n } };

describe('at an exchange that keeps its own accounts', () => {
  it('contracts are bought and sold, of both sides, and all figures agree', async () => {
    const ticker = await market();
    const [a, b] = [world.agent(), world.agent()];
    const copy = world.copy();
    const yes = await buyToTheEnd(world, copy, world.buyCall(a, { ticker }));
    expect(yes.answer).toMatchObject({ ...FILLED, order: { totalUsdMicros: 4_200_000n } });
    const no = await buyToTheEnd(world, copy, world.buyCall(b, { ticker, side: 'no', count: 25 }));
    expect(no.answer).toMatchObject({ order: { totalUsdMicros: 15_000_000n } });
    const sold = await sellToTheEnd(world, copy, world.sellCall(a, { ticker }));
    expect(sold.answer).toMatchObject({ ...FILLED, order: { totalUsdMicros: 4_000_000n } });
    expect((await sellToTheEnd(world, copy, world.sellCall(b, { ticker, side: 'no' }))).answer).toMatchObject(FILLED);
  });

  type Fault = [string, Record<string, unknown>];
  const LOST_ANSWER: Fault = ['dropAfterAccept', {}];
  const FAILURES: Fault = ['error500', { times: 3, match: ORDERS }];
  const LAG: Fault = ['lagPortfolio', { times: 20, delayMs: 700 }];
  const FAULTS: Fault[] = [
    ['error429', { times: 3, match: ORDERS }],
    ['error500', { match: ORDERS }],
    FAILURES,
    ['errorAfterAccept', {}],
    LOST_ANSWER,
    ['delay', { match: ORDERS, delayMs: 300 }],
    ['error500', { times: 2, match: { path: '/portfolio/fills' } }],
    ['error429', { times: 2, match: { path: '/portfolio/fills' } }],
    LAG,
  ];

  it.each(FAULTS)('a buy meets %s %j with one order', async (fault, more) => {
    const ticker = await market();
    await sandbox.arm(fault, more);
    const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent(), { ticker }));
    expect(answer).toMatchObject(FILLED);
    expect(await ordersIn(ticker)).toBe(1);
  });

  it.each(casesOf(FAULTS, { gate: [FAILURES, LOST_ANSWER, LAG] }))(
    'a sale meets %s %j with one order',
    async (fault, more) => {
      const ticker = await market();
      const agent = world.agent();
      await buyToTheEnd(world, world.copy(), world.buyCall(agent, { ticker, count: 30 }));
      await sandbox.arm(fault, more);
      const { answer } = await sellToTheEnd(world, world.copy(), world.sellCall(agent, { ticker }));
      expect(answer).toMatchObject(FILLED);
      expect(await ordersIn(ticker)).toBe(2);
    },
  );

  it('a lost answer and a lagging portfolio together are still one order', async () => {
    const ticker = await market();
    await sandbox.arm('dropAfterAccept');
    await sandbox.arm('lagPortfolio', { times: 30, delayMs: 500 });
    const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent(), { ticker }));
    expect(answer).toMatchObject(FILLED);
    expect(await ordersIn(ticker)).toBe(1);
  });

  it('what is filled in part is paid in part', async () => {
    const ticker = await market();
    await sandbox.arm('partialFill');
    const { answer } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent(), { ticker }));
    expect(answer).toMatchObject({ order: { status: 'partially_filled' } });
  });

  it('a position of half a contract is sold by its shown quantity', async () => {
    const ticker = await market();
    const agent = world.agent();
    await sandbox.arm('partialFill');
    await buyToTheEnd(world, world.copy(), world.buyCall(agent, { ticker, count: 1 }));
    const { positions } = await world.ledger.positionsOf(agent, undefined);
    expect(positions).toMatchObject([{ ticker, quantity: 50n }]);
    const { answer } = await sellToTheEnd(world, world.copy(), world.sellCall(agent, { ticker, count: 0.5 }));
    expect(answer).toMatchObject({ isConfirmed: true, order: { status: 'filled', totalUsdMicros: 200_000n } });
    expect((await world.ledger.positionsOf(agent, undefined)).positions).toEqual([]);
    await world.audit();
  });

  it('a refused order gives everything back', async () => {
    const ticker = await market();
    await sandbox.arm('rejectOrder');
    const agent = world.agent();
    const { error } = await buyToTheEnd(world, world.copy(), world.buyCall(agent, { ticker }));
    expect(error?.data).toMatchObject({ refundSignature: expect.stringMatching(/./) });
    expect(world.wallet.fundsOf(agent)).toBe(1_000_000_000n);
  });

  it('a market that closes while the escrow is on its way gives everything back', async () => {
    const ticker = await market();
    world.wallet.onEffect = async (what) => {
      if (what === 'escrow') await sandbox.admin('POST', `/markets/${ticker}/status`, { status: 'closed' });
    };
    const agent = world.agent();
    const { error } = await buyToTheEnd(world, world.copy(), world.buyCall(agent, { ticker }));
    expect(error?.code).toBe('MARKET_CLOSED');
    expect(world.wallet.fundsOf(agent)).toBe(1_000_000_000n);
  });

  it('many agents at once get what the book holds, and not one contract more', async () => {
    const ticker = await market();
    const copies = [world.copy(), world.copy()];
    const ends = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        endOf(() => copies[i % 2]!.buy.execute(world.buyCall(world.agent(), { ticker, maxPriceUsdMicros: 420_000n }))),
      ),
    );
    const filled = ends.reduce((sum, { answer }) => sum + (answer?.order.filled ?? 0n), 0n);
    expect(filled).toBe(10_000n);
    await world.audit();
  });
});

describe('in a market whose prices lie between whole cents', () => {
  const TICKER = 'TENTHS';
  const noLiquidity = { code: 'NO_LIQUIDITY', data: { bestPriceDollars: '0.995' } };

  beforeAll(() => sandbox.addTenths(TICKER));

  it('a position is bought and sold at the exact prices of the book', async () => {
    const agent = world.agent();
    const [bought, sold] = [
      world.buyCall(agent, { ticker: TICKER, maxPriceUsdMicros: 995_000n }),
      world.sellCall(agent, { ticker: TICKER, minPriceUsdMicros: 992_000n }),
    ];
    const buy = await buyToTheEnd(world, world.copy(), bought);
    expect(buy.answer).toMatchObject({ ...FILLED, order: { totalUsdMicros: 9_950_000n } });
    const sale = await sellToTheEnd(world, world.copy(), sold);
    expect(sale.answer).toMatchObject({ ...FILLED, order: { totalUsdMicros: 9_920_000n } });
    await world.audit();
  });

  it('a buy without a limit stops at 99 cents, and names the exact price beyond', async () => {
    const { error } = await buyToTheEnd(world, world.copy(), world.buyCall(world.agent(), { ticker: TICKER }));
    expect(error).toMatchObject(noLiquidity);
    expect(error?.data).not.toHaveProperty('bestPriceCents');
  });

  it('a limit off the tick is refused, and the next prices are named', async () => {
    const call = world.buyCall(world.agent(), { ticker: TICKER, maxPriceUsdMicros: 995_500n });
    const { error } = await buyToTheEnd(world, world.copy(), call);
    const reason = "must be on the market's tick of 0.001, such as 0.995 or 0.996";
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'maxPriceDollars', reason }] });
  });
});

async function ordersIn(ticker: string): Promise<number> {
  const { orders } = await sandbox.admin<{ orders: Array<{ ticker: string }> }>('GET', '/exchange/account');
  return orders.filter((order) => order.ticker === ticker).length;
}
