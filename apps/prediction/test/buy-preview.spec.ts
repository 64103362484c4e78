import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { buyToTheEnd } from './saga-checks.js';
import { SagaWorld } from './saga-world.js';

jest.setTimeout(30_000);

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterAll(() => world.close());

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

it('a preview of a buy says what the buy then does, and leaves no trace', async () => {
  const agent = world.agent();
  const copy = world.copy();
  const { request, ...call } = world.buyCall(agent);
  const preview = await copy.previews.buy(agent, request);
  expect(world.wallet.attempts.size).toBe(0);
  expect(preview.preview.decision?.allowed).toBe(true);
  const { answer } = await buyToTheEnd(world, copy, { ...call, request });
  const { totalUsdMicros, feeUsdMicros, filled, status } = answer!.order;
  expect(preview.order).toMatchObject({ totalUsdMicros, feeUsdMicros, filled, status });
  expect(preview.refundedUsdMicros).toBe(answer!.refundedUsdMicros);
  expect(preview.preview.balanceChanges).toEqual([
    { mint: USDC, symbol: 'USDC', amount: totalUsdMicros + feeUsdMicros, isLoss: true },
    { mint: '', symbol: 'SOL', amount: 5_000n, isLoss: true },
  ]);
});

it('a preview of a sale says what the sale then does, and what the switch forbids', async () => {
  const agent = world.agent();
  const copy = world.copy();
  await copy.buy.execute(world.buyCall(agent));
  const { request, ...call } = world.sellCall(agent);
  const preview = await copy.previews.sell(agent, request);
  world.isSwitchedOn = false;
  const forbidden = await copy.previews.sell(agent, request);
  expect(forbidden.preview.decision).toMatchObject({ allowed: false, rule: 'prediction_markets_disabled' });
  world.isSwitchedOn = true;
  const { order } = await copy.sell.execute({ ...call, request });
  const { totalUsdMicros, feeUsdMicros } = order;
  expect(preview.order).toMatchObject({ totalUsdMicros, feeUsdMicros });
  expect(preview.preview.balanceChanges[0]).toMatchObject({ amount: totalUsdMicros - feeUsdMicros, isLoss: false });
});

it('a preview throws what the order would', async () => {
  const { previews } = world.copy();
  const agent = world.agent();
  await expect(previews.sell(agent, world.sellCall(agent).request)).rejects.toMatchObject({
    code: 'INSUFFICIENT_POSITION',
  });
  world.exchange.trading = { status: 'open', paused: true };
  await expect(previews.buy(agent, world.buyCall(agent).request)).rejects.toMatchObject({ code: 'MARKET_PAUSED' });
});
