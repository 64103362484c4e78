import { AppError } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { buyToTheEnd, sellToTheEnd } from './saga-checks.js';
import { SagaWorld, USAGE } from './saga-world.js';

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterAll(() => world.close());

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

it('a dry run of a buy says what the buy then does, and leaves no trace', async () => {
  const agent = world.agent();
  const copy = world.copy();
  const { request, ...call } = world.buyCall(agent);
  const dryRun = await copy.dryRuns.buy(agent, request);
  expect(world.wallet.attempts.size).toBe(0);
  expect(dryRun.dryRun.decision?.allowed).toBe(true);
  const { answer } = await buyToTheEnd(world, copy, { ...call, request });
  const { totalUsdMicros, feeUsdMicros, filled, status } = answer!.order;
  expect(dryRun.order).toMatchObject({ totalUsdMicros, feeUsdMicros, filled, status });
  expect(dryRun.refundedUsdMicros).toBe(answer!.refundedUsdMicros);
  expect(dryRun.dryRun.balanceChanges).toEqual([
    { mint: USDC, symbol: 'USDC', decimals: 6, amount: totalUsdMicros + feeUsdMicros, isDebit: true },
    { mint: '', symbol: 'SOL', decimals: 9, amount: 5_000n, isDebit: true },
  ]);
});

it('a dry run of a sale says what the sale then does, and what the switch forbids', async () => {
  const agent = world.agent();
  const copy = world.copy();
  await copy.buy.execute(world.buyCall(agent));
  const { request, ...call } = world.sellCall(agent);
  const dryRun = await copy.dryRuns.sell(agent, request);
  world.isSwitchedOn = false;
  const forbidden = await copy.dryRuns.sell(agent, request);
  expect(forbidden.dryRun.decision).toMatchObject({ allowed: false, rule: 'prediction_markets_disabled' });
  world.isSwitchedOn = true;
  const { order } = await copy.sell.execute({ ...call, request });
  const { totalUsdMicros, feeUsdMicros } = order;
  expect(dryRun.order).toMatchObject({ totalUsdMicros, feeUsdMicros });
  expect(dryRun.dryRun.balanceChanges[0]).toMatchObject({ amount: totalUsdMicros - feeUsdMicros, isDebit: false });
});

it('a dry run of an order beyond its limit is cancelled, and moves nothing', async () => {
  const agent = world.agent();
  const { buy, dryRuns } = world.copy();
  await buy.execute(world.buyCall(agent));
  const [bought, sold] = [{ maxPriceUsdMicros: 410_000n }, { minPriceUsdMicros: 410_000n }];
  // Nothing is paid out, so an empty treasury refuses nothing.
  const dryRunMove = jest.spyOn(world.wallet, 'dryRunMove').mockRejectedValue(new AppError('SERVICE_UNAVAILABLE'));
  for (const dryRun of [
    await dryRuns.buy(agent, world.buyCall(agent, bought).request),
    await dryRuns.sell(agent, world.sellCall(agent, sold).request),
  ]) {
    expect(dryRun).toMatchObject({ order: { status: 'cancelled', filled: 0n }, refundedUsdMicros: 0n });
    const decision = { allowed: true, rule: '', valueUsdMicros: 0n, usage: USAGE };
    expect(dryRun.dryRun).toEqual({ decision, networkFeeLamports: 0n, sponsored: false, balanceChanges: [] });
  }
  world.isSwitchedOn = false;
  const forbidden = await dryRuns.buy(agent, world.buyCall(agent, bought).request);
  const rule = 'prediction_markets_disabled';
  expect(forbidden.dryRun.decision).toEqual({ allowed: false, rule, valueUsdMicros: 0n, usage: USAGE });
  expect(dryRunMove).not.toHaveBeenCalled();
  dryRunMove.mockRestore();
});

it('a dry run of a sale beyond the moves of a day passes as the sale does, whose proceeds stay in the balance', async () => {
  const agent = world.agent();
  const copy = world.copy();
  await copy.buy.execute(world.buyCall(agent));
  const decision = { allowed: false, rule: 'treasury_moves_per_day', valueUsdMicros: 0n, usage: USAGE };
  const refused = { decision, networkFeeLamports: 5_000n, sponsored: false, balanceChanges: [] };
  const dryRunMove = jest.spyOn(world.wallet, 'dryRunMove').mockResolvedValue({ dryRun: refused });
  const call = world.sellCall(agent);
  const { dryRun, order } = await copy.dryRuns.sell(agent, call.request);
  const bought = await copy.dryRuns.buy(agent, world.buyCall(agent).request);
  dryRunMove.mockRestore();
  expect(dryRun).toMatchObject({ decision: { allowed: true, rule: '' }, networkFeeLamports: 0n, balanceChanges: [] });
  expect(bought.dryRun.decision).toMatchObject({ allowed: false, rule: 'treasury_moves_per_day' });
  world.wallet.next('payout', 'ends:POLICY_VIOLATION');
  const { answer } = await sellToTheEnd(world, copy, call);
  expect(answer).toMatchObject({ isPaidToBalance: true, order: { totalUsdMicros: order.totalUsdMicros } });
});

it('a dry run throws what the order would', async () => {
  const { dryRuns } = world.copy();
  const agent = world.agent();
  await expect(dryRuns.sell(agent, world.sellCall(agent).request)).rejects.toMatchObject({
    code: 'INSUFFICIENT_POSITION',
  });
  world.exchange.trading = { status: 'open', paused: true };
  await expect(dryRuns.buy(agent, world.buyCall(agent).request)).rejects.toMatchObject({ code: 'MARKET_PAUSED' });
});

it.each([
  ['a freeze', 'frozen', { isFrozen: true, isSwitchedOn: true }],
  ['a freeze with the switch off, too,', 'frozen', { isFrozen: true, isSwitchedOn: false }],
  ['a switch that is off', 'prediction_markets_disabled', { isFrozen: false, isSwitchedOn: false }],
] as const)('%s is what dry run and run of an order state first', async (_, rule, stop) => {
  const agent = world.agent();
  const copy = world.copy();
  await copy.buy.execute(world.buyCall(agent));
  Object.assign(world, stop);
  const refusal = { code: 'POLICY_VIOLATION', data: { rule } };
  const unsentBuy = world.buyCall(agent, { maxPriceUsdMicros: 410_000n });
  const unsentSale = world.sellCall(agent, { minPriceUsdMicros: 410_000n });
  const sale = world.sellCall(agent);
  for (const { dryRun } of [
    await copy.dryRuns.buy(agent, unsentBuy.request),
    await copy.dryRuns.sell(agent, unsentSale.request),
    await copy.dryRuns.sell(agent, sale.request),
  ]) {
    expect(dryRun.decision).toMatchObject({ allowed: false, rule });
  }
  for (const { error } of [
    await buyToTheEnd(world, copy, unsentBuy),
    await sellToTheEnd(world, copy, unsentSale),
    await sellToTheEnd(world, copy, sale),
  ]) {
    expect(error).toMatchObject(refusal);
  }
  const impossible = world.sellCall(agent, { count: 11 });
  const unheld = await copy.dryRuns.sell(agent, impossible.request);
  expect(unheld.dryRun.decision).toMatchObject({ allowed: false, rule });
  expect((await sellToTheEnd(world, copy, impossible)).error).toMatchObject(refusal);
});
