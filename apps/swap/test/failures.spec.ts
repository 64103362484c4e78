import { policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, namedToken } from '@agent-wallet/kernel';
import { MALICIOUS_KINDS } from './sandbox.js';
import { type Agent, API_KEY, refusalOf, SwapWorld } from './world.js';

const USDC = namedToken('USDC')!.mint;
const WIF = namedToken('WIF')!.mint;

let world: SwapWorld;

beforeAll(async () => {
  world = await SwapWorld.open(70);
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.stopCopies();
  expect(world.lines).not.toContain(API_KEY);
});
afterAll(() => world?.close());

/** That nothing was signed, reserved or moved, by what is counted before and after. */
async function nothingHappens(agent: Agent, work: () => Promise<unknown>): Promise<AppError> {
  const look = async () => ({
    holdings: await world.holdings(agent, 'SOL', 'USDC', 'WIF'),
    signed: world.signer.signed.size,
    reserved: world.policy.reservations.size,
  });
  const before = await look();
  const error = await refusalOf(work());
  expect(await look()).toEqual(before);
  return error;
}

const rich = () => world.agent({ SOL: 1, USDC: 100 });

describe('an aggregator that offers a malicious transaction', () => {
  const sides = [
    ['USDC', 'WIF', '20'],
    ['SOL', 'WIF', '0.2'],
    ['USDC', 'SOL', '20'],
  ] as const;

  it.each(MALICIOUS_KINDS)('(%s) gets nothing signed, on any route', async (kind) => {
    for (const options of [{}, await world.makersOnly()]) {
      const { trade } = world.copy(options);
      for (const [from, to, amount] of sides) {
        const agent = await rich();
        await world.sandbox.arm('maliciousTransaction', { times: 2, match: { kind } });
        const error = await nothingHappens(agent, async () => trade.execute(world.call(agent, { from, to, amount })));
        expect(error).toMatchObject({ code: 'UNSAFE_TRANSACTION', data: {} });
        await world.sandbox.disarm();
      }
    }
  });

  it('is recorded in history, and an honest offer after it is taken', async () => {
    const { trade } = world.copy();
    const agent = await rich();
    await world.sandbox.arm('maliciousTransaction', { match: { kind: 'extraTransfer' } });
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    await refusalOf(trade.execute(call));
    expect((await refusalOf(trade.execute(call))).code).toBe('UNSAFE_TRANSACTION');
    expect(await world.published(call.operationId)).toMatchObject([
      { action: 'trade', asset: 'USDC', amount: 20_000_000n },
    ]);
    const again = await trade.execute(world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' }));
    expect(again.isConfirmed).toBe(true);
  });
});

describe('before anything is signed', () => {
  it.each([
    ['noRoute', 'NO_ROUTE', 1],
    ['error500', 'UPSTREAM_ERROR', 9],
    ['error429', 'SERVICE_UNAVAILABLE', 9],
  ])('%s is %s, and nothing moved', async (fault, code, times) => {
    const { trade } = world.copy();
    const agent = await rich();
    await world.sandbox.arm(fault, { times });
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    expect((await nothingHappens(agent, () => trade.execute(call))).code).toBe(code);
    await world.sandbox.disarm();
    await world.database.pool.query(`update aggregator_pauses set until_at = '-infinity'`);
    expect((await refusalOf(trade.execute(call))).code).toBe(code);
  });

  it('an amount too small for anything to arrive finds no route, and no offer is reported as refused', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 1, BONK: 1 });
    const accusations = () => world.lines.split('trade.offer_refused').length;
    const before = accusations();
    // Worth one base unit of USDC, of which any slippage leaves none.
    const call = world.call(agent, { from: 'BONK', to: 'USDC', amount: '0.07' });
    expect((await nothingHappens(agent, () => trade.execute(call))).code).toBe('NO_ROUTE');
    expect(accusations()).toBe(before);
  });

  it('a single error of the aggregator is got over', async () => {
    const { trade } = world.copy();
    const agent = await rich();
    await world.sandbox.arm('error500', { match: { path: '/swap/v2/order' } });
    const answer = await trade.execute(world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' }));
    expect(answer.isConfirmed).toBe(true);
  });

  it('a price that moved is found in the simulation: nothing moved, no fee', async () => {
    const { trade } = world.copy();
    const agent = await rich();
    await world.sandbox.arm('slippage', { match: { path: '/swap/v2/order' } });
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    const error = await nothingHappens(agent, () => trade.execute(call));
    expect(error).toMatchObject({ code: 'SLIPPAGE_EXCEEDED', data: { slippageBps: call.request.slippageBps } });
  });

  it.each([
    [{ USDC: 100 }, { from: 'USDC', to: 'WIF', amount: '20' }, 'SOL'],
    [{ SOL: 1, USDC: 10 }, { from: 'USDC', to: 'WIF', amount: '10.000001' }, 'USDC'],
    [{ SOL: 1 }, { from: 'SOL', to: 'WIF', amount: '1' }, 'SOL'],
    [{ SOL: 1 }, { from: 'USDC', to: 'SOL', amount: '1' }, 'USDC'],
  ])('a wallet with %j cannot %j: %s is missing', async (funds, order, asset) => {
    const { trade } = world.copy();
    const agent = await world.agent(funds);
    const error = await nothingHappens(agent, () => trade.execute(world.call(agent, order)));
    expect(error).toMatchObject({ code: 'INSUFFICIENT_FUNDS', data: { asset, missingRaw: expect.any(String) } });
  });

  it('an agent without money that may not trade gets the policy error, and in a dry run the decision', async () => {
    const { trade, dryRun } = world.copy();
    const agent = await world.agent({});
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    world.policy.stop = new AppError('POLICY_VIOLATION', { data: { rule: 'trading_disabled' } });
    try {
      expect(await dryRun.execute(agent.agentId, call.request)).toMatchObject({
        plan: { input: { symbol: 'USDC' }, output: { symbol: 'WIF' }, amount: 20_000_000n },
        decision: { allowed: false, rule: 'trading_disabled' },
        ...{ networkLamports: 0n, balanceChanges: [] },
      });
      const error = await nothingHappens(agent, () => trade.execute(call));
      expect(error).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'trading_disabled' } });
    } finally {
      world.policy.stop = undefined;
    }
  });

  it('a token is refused for what its mint can do, and for critical warnings unless these are accepted', async () => {
    const { trade } = world.copy();
    const agent = await rich();
    const known = world.wallets.tokens.get(WIF)!;
    const powers = (permanentDelegate: string, unsafeExtensions: string[]) => ({
      ...{ freezeAuthority: '', mintAuthority: '', transferHook: '', transferFeeBps: 0, maxTransferFee: 0n },
      ...{ permanentDelegate, unsafeExtensions },
    });
    const buy = (allowRisky: boolean) => () =>
      trade.execute(world.call(agent, { from: 'USDC', to: 'WIF', amount: '20', allowRisky }));
    try {
      world.wallets.tokens.set(WIF, { ...known, safety: powers('', ['pausable']) });
      expect(await nothingHappens(agent, buy(true))).toMatchObject({ code: 'UNSAFE_TOKEN' });
      world.wallets.tokens.set(WIF, { ...known, safety: powers(USDC, []) });
      expect(await nothingHappens(agent, buy(false))).toMatchObject({
        ...{ code: 'UNSAFE_TOKEN', data: { mint: WIF, reasons: ['HAS_PERMANENT_DELEGATE'] } },
      });
      const { plan } = await buy(true)();
      expect(plan!.warnings).toContainEqual(
        expect.objectContaining({ mint: WIF, type: 'HAS_PERMANENT_DELEGATE', severity: 'critical' }),
      );
    } finally {
      world.wallets.tokens.set(WIF, known);
    }
  });

  it('a refusal of policy rejects the trade, with its own words', async () => {
    const { trade } = world.copy();
    const agent = await rich();
    world.policy.refusal = new AppError('POLICY_VIOLATION', { data: { rule: 'trading_disabled' } });
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    const error = await nothingHappens(agent, () => trade.execute(call));
    world.policy.refusal = undefined;
    expect(error).toMatchObject({ code: 'POLICY_VIOLATION', data: { rule: 'trading_disabled' } });
  });
});

describe('after the first post of signed bytes only the chain decides', () => {
  const settled = async (operationId: string, outcome: policyV1.Outcome) =>
    eventually(() => world.policy.outcomeOf(operationId) === outcome);

  it('a price that moves afterwards costs the network fee, which is reported', async () => {
    const { trade } = world.copy();
    const agent = await rich();
    const [solBefore] = await world.holdings(agent, 'SOL');
    await world.sandbox.arm('slippage', { match: { path: '/swap/v2/execute' } });
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    const error = await refusalOf(trade.execute(call));
    const [solAfter, usdc] = await world.holdings(agent, 'SOL', 'USDC');
    expect(error.code).toBe('SLIPPAGE_EXCEEDED');
    expect(BigInt(error.data['networkFeeLamports'] as string)).toBe(solBefore! - solAfter!);
    const [landed] = await world.sandbox.transactions(agent.address);
    expect(error.data['signature']).toBe(landed!.signature);
    expect(usdc).toBe(100_000_000n);
    await settled(call.operationId, policyV1.Outcome.OUTCOME_FAILED);
  });

  it.each([
    ['timeoutAfterLanding', { delayMs: 300, times: 2 }],
    ['error500', { times: 2, match: { path: '/swap/v2/execute' } }],
    ['error429', { times: 1, match: { path: '/swap/v2/execute' } }],
  ])('%s loses nothing: the trade happens once', async (fault, more) => {
    const { trade } = world.copy();
    const agent = await rich();
    await world.sandbox.arm(fault, more);
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    const answer = await trade.execute(call);
    expect(answer.isConfirmed).toBe(true);
    expect((await world.holdings(agent, 'USDC', 'WIF'))[0]).toBe(80_000_000n);
    await settled(call.operationId, policyV1.Outcome.OUTCOME_SETTLED);
  });

  it('a maker whose answer is lost has traded once', async () => {
    const { trade } = world.copy(await world.makersOnly());
    const agent = await rich();
    await world.sandbox.arm('timeoutAfterLanding', { delayMs: 300, times: 3 });
    const call = world.call(agent, { from: 'USDC', to: 'SOL', amount: '20' });
    const answer = await trade.execute(call);
    expect(answer).toMatchObject({ isConfirmed: true, plan: { offer: { route: ['JupiterZ'] } } });
    expect((await world.holdings(agent, 'USDC'))[0]).toBe(80_000_000n);
    await settled(call.operationId, policyV1.Outcome.OUTCOME_SETTLED);
  });
});
