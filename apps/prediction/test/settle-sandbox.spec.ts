import { Secret, systemClock } from '@agent-wallet/kernel';
import { silent } from '@agent-wallet/platform/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenExchange, openExchange } from '../src/adapters/exchange/open-exchange.js';
import { unexplainedOf } from '../src/domain/ledger/compare.js';
import { keepersOf } from './ledger-sources.js';
import { testKey } from './kalshi-server.js';
import { SagaWorld } from './saga-world.js';
import { SandboxExchange } from './sandbox-exchange.js';

const NOTE = { operator: 'ada', reason: 'a test' };

let world: SagaWorld;
let sandbox: SandboxExchange;
let opened: OpenExchange;
let keepers: ReturnType<typeof keepersOf>;

beforeAll(async () => {
  [world, sandbox] = await Promise.all([SagaWorld.open(), SandboxExchange.start()]);
  opened = openExchange({
    ...{ baseUrl: sandbox.url, wsUrl: sandbox.wsUrl, apiKeyId: testKey.id, database: world.database },
    privateKey: new Secret(testKey.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    ...{ clock: systemClock, logger: silent },
  });
  await world.tradeAt(opened.exchange);
  keepers = keepersOf(world, { exchange: opened.exchange, wallet: world.wallet });
});

afterAll(async () => {
  await world.stopCopies();
  await opened.close();
  await world.close();
  await sandbox.stop();
});

const rounds = async () => {
  for (let i = 0; i < 3; i += 1) await keepers.watching.round();
};

/** Has the operator's money found, and attributes it to the operator. */
async function fund(): Promise<void> {
  await rounds();
  for (const place of ['treasury', 'exchange'] as const) await keepers.comparisons.attributeFunds(place, 0n, NOTE);
}

describe('at an exchange that tells a market’s trading fees once more when it settles', () => {
  it.each(['yes', 'no', 'void'])('a market that ends %s leaves ledger and exchange alike', async (result) => {
    const ticker = `SETTLED-${result.toUpperCase()}`;
    await sandbox.addMarket(ticker);
    await fund();
    const [yes, no] = [world.agent(), world.agent()];
    const copy = world.copy();
    const { order } = await copy.buy.execute(world.buyCall(yes, { ticker, count: 50 }));
    expect(order.feeUsdMicros).toBeGreaterThan(0n);
    expect(await copy.buy.execute(world.buyCall(no, { ticker, count: 20, side: 'no' }))).toMatchObject({
      isConfirmed: true,
    });
    const costs = await world.total('exchange_costs');
    await sandbox.admin('POST', `/markets/${ticker}/settle`, { result });
    const [settlement] = await opened.exchange.settlements(systemClock.nowMs() - 60_000);
    expect(settlement).toMatchObject({ ticker, tradingFeesUsdMicros: expect.any(BigInt) });
    expect(settlement!.tradingFeesUsdMicros).toBeGreaterThan(0n);
    await rounds();
    await keepers.settling.round();
    await rounds();
    expect(await world.total('outstanding')).toBe(0n);
    expect(await world.total('exchange_costs')).toBe(costs);
    expect(await world.total('suspense_exchange')).toBe(0n);
    expect(await world.ledger.ordersHalted()).toBeUndefined();
    const { complete, comparisons } = await keepers.watching.look();
    expect(complete).toBe(true);
    expect(comparisons.filter((each) => unexplainedOf(each) !== 0n)).toEqual([]);
  });
});
