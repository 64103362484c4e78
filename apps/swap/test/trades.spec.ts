import { policyV1 } from '@agent-wallet/contracts';
import { AppError, formatAmount, namedToken, newId, readAmountField } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NATIVE_MINT } from '../src/domain/tokens.js';
import { changesByTrade } from '../src/domain/trade.js';
import { landedOf, SwapWorld, SYMBOLS } from './world.js';

let world: SwapWorld;

beforeAll(async () => {
  world = await SwapWorld.open(100);
});
afterEach(async () => {
  await world.sandbox.disarm();
  await world.stopCopies();
});
afterAll(() => world?.close());

const isWrappedLeft = async (address: string) =>
  (await world.sandbox.accounts(address)).some(({ mint }) => mint === NATIVE_MINT);

describe('the native coin', () => {
  it('becomes a token and comes back, to the lamport, and leaves nothing wrapped', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 5 });
    const out = await trade.execute(world.call(agent, { from: 'SOL', to: 'USDC', amount: '1' }));
    expect(out).toMatchObject({ isConfirmed: true, plan: { input: { symbol: 'SOL' }, output: { symbol: 'USDC' } } });
    const there = landedOf(out);
    const [solThen, usdc] = await world.holdings(agent, 'SOL', 'USDC');
    expect(there).toEqual({ spent: 1_000_000_000n, gained: usdc });
    expect(usdc).toBeGreaterThanOrEqual(out.plan!.offer!.minOutputAmount);
    expect(await isWrappedLeft(agent.address)).toBe(false);

    const back = await trade.execute(world.call(agent, { from: 'USDC', to: 'SOL', amount: '100' }));
    const home = landedOf(back);
    const [solNow, usdcNow] = await world.holdings(agent, 'SOL', 'USDC');
    expect(home.spent).toBe(100_000_000n);
    expect(usdcNow).toBe(usdc! - 100_000_000n);
    const { feeLamports, tipLamports } = back.plan!.offer!;
    expect(home.gained).toBe(solNow! - solThen! + feeLamports + tipLamports);
    expect(await isWrappedLeft(agent.address)).toBe(false);
  });

  it('that was wrapped before is unwrapped, too, and does not count as gained', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 2, USDC: 100 });
    await world.sandbox.faucet(agent.address, NATIVE_MINT, 1);
    const wrapped = await isWrappedLeft(agent.address);
    const answer = await trade.execute(world.call(agent, { from: 'USDC', to: 'SOL', amount: '10' }));
    if (wrapped) expect(landedOf(answer).gained).toBeLessThan(1_000_000_000n);
    expect(await isWrappedLeft(agent.address)).toBe(false);
  });
});

describe('every symbol', () => {
  it.each(SYMBOLS.filter((symbol) => symbol !== 'USDC'))('%s is bought and sold', async (symbol) => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    const [before] = await world.holdings(agent, symbol);
    const bought = landedOf(await trade.execute(world.call(agent, { from: 'USDC', to: symbol, amount: '20' })));
    expect(bought.spent).toBe(20_000_000n);
    const [held, usdc] = await world.holdings(agent, symbol, 'USDC');
    expect(usdc).toBe(30_000_000n);
    if (symbol !== 'SOL') expect(held! - before!).toBe(bought.gained);
    const amount = formatAmount(bought.gained / 2n, (await world.chain.mint(namedToken(symbol)!.mint))!.decimals);
    const sold = landedOf(await trade.execute(world.call(agent, { from: symbol, to: 'USDC', amount })));
    expect(sold.spent).toBe(bought.gained / 2n);
    expect((await world.holdings(agent, 'USDC'))[0]).toBe(30_000_000n + sold.gained);
  });

  it('trades for another one that has no pool with it, by mint', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 1, BONK: 1_000_000 });
    const order = { from: namedToken('BONK')!.mint, to: namedToken('WIF')!.mint, amount: '100000' };
    const answer = await trade.execute(world.call(agent, order));
    expect(landedOf(answer).gained).toBe((await world.holdings(agent, 'WIF'))[0]);
  });
});

describe('a token of Token-2022 that takes a fee of transfers', () => {
  it('is counted as it really moved', async () => {
    const { trade } = world.copy();
    const token = { symbol: 'FEE', decimals: 6, program: 'token-2022', transferFeeBps: 100, usd: 2 };
    const { mint } = await world.sandbox.admin<{ mint: string }>('POST', '/mints', token);
    world.wallets.tokens.set(mint, { mint, symbol: 'FEE' });
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    const order = { from: 'USDC', to: mint, amount: '20', slippageBps: 300 };
    const bought = landedOf(await trade.execute(world.call(agent, order)));
    expect((await world.holdings(agent, mint))[0]).toBe(bought.gained);
    const sale = { from: mint, to: 'USDC', amount: '5', slippageBps: 300 };
    const sold = landedOf(await trade.execute(world.call(agent, sale)));
    expect(sold.spent).toBe(5_000_000n);
    expect(await world.holdings(agent, mint, 'USDC')).toEqual([bought.gained - 5_000_000n, 30_000_000n + sold.gained]);
  });
});

describe('many trades of one wallet at once', () => {
  it('all happen, each once, while the others change the wallet', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 2, USDC: 100 });
    const symbols = ['SOL', 'JUP', 'WIF', 'RAY', 'ORCA', 'SOL', 'JUP', 'WIF'];
    const orders = symbols.map((to) => ({ from: 'USDC', to, amount: '10', slippageBps: 300 }));
    const answers = await Promise.all(orders.map((order) => trade.execute(world.call(agent, order))));
    expect(answers.map(({ isConfirmed }) => isConfirmed)).toEqual(symbols.map(() => true));
    expect((await world.holdings(agent, 'USDC'))[0]).toBe(20_000_000n);
  });
});

describe('a large trade', () => {
  it('is split over several venues, which are named', async () => {
    const { trade } = world.copy();
    const agent = await world.agent({ SOL: 1, USDC: 500_000 });
    const small = await trade.execute(world.call(agent, { from: 'USDC', to: 'SOL', amount: '5' }));
    expect(small.plan!.offer!.route).toHaveLength(1);
    const call = world.call(agent, { from: 'USDC', to: 'SOL', amount: '300000', slippageBps: 500 });
    const large = await trade.execute(call);
    expect(large.plan!.offer!.route.length).toBeGreaterThanOrEqual(3);
    expect(Number(large.plan!.offer!.priceImpactPercent)).toBeLessThan(0);
  });
});

describe('Ultra', () => {
  it('is the same by another path', async () => {
    const { trade } = world.copy({ swapPath: '/ultra/v1' });
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    const answer = await trade.execute(world.call(agent, { from: 'USDC', to: 'JUP', amount: '20' }));
    expect(answer.isConfirmed).toBe(true);
  });
});

describe('a market maker that signs, too', () => {
  it('pays the network, and is found by our own signature', async () => {
    const { trade } = world.copy(await world.makersOnly());
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    const [solBefore] = await world.holdings(agent, 'SOL');
    const answer = await trade.execute(world.call(agent, { from: 'USDC', to: 'SOL', amount: '20' }));
    expect(answer).toMatchObject({ isConfirmed: true, plan: { offer: { route: ['JupiterZ'], feeLamports: 0n } } });
    const [solAfter, usdc] = await world.holdings(agent, 'SOL', 'USDC');
    expect(landedOf(answer)).toEqual({ spent: 20_000_000n, gained: solAfter! - solBefore! });
    expect(usdc).toBe(30_000_000n);
    await eventually(() => world.policy.open === 0);
  });
});

describe('a repeat', () => {
  it('with the same operation trades once, however often and wherever it is asked', async () => {
    const copies = [world.copy(), world.copy()];
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    const call = world.call(agent, { from: 'USDC', to: 'WIF', amount: '20' });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => copies[i % 2]!.trade.execute(call)));
    expect(new Set(answers.map(({ plan }) => plan!.offer!.requestId)).size).toBe(1);
    expect((await world.holdings(agent, 'USDC'))[0]).toBe(30_000_000n);
    const other = { ...call, request: { ...call.request, amount: readAmountField('21') } };
    await expect(copies[0]!.trade.execute(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  });
});

describe('a dry run', () => {
  it('says what would be, and leaves no trace', async () => {
    const { dryRun } = world.copy();
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    const signedBefore = world.signer.signed.size;
    const count = async () => {
      const tables = ['operations', 'attempts', 'outbox'].map((table) => `(select count(*) from ${table})`);
      return (await world.database.pool.query(`select ${tables.join(', ')}`)).rows[0] as unknown;
    };
    const before = await count();
    const { request: order } = world.call(agent, { from: 'USDC', to: 'RAY', amount: '20' });
    const { plan, decision, networkLamports, balanceChanges } = await dryRun.execute(agent.agentId, order);
    expect(decision.allowed).toBe(true);
    expect(world.policy.checked.at(-1)?.intent).toMatchObject({ wallet: agent.address, action: { $case: 'swap' } });
    expect(balanceChanges.map(({ symbol }) => symbol)).toEqual(['USDC', 'RAY', 'SOL']);
    expect(balanceChanges[2]!.amount).toBe(-networkLamports - plan.offer!.rentLamports);
    expect(await count()).toEqual(before);
    expect(world.signer.signed.size).toBe(signedBefore);
    expect(await world.holdings(agent, 'USDC', 'RAY')).toEqual([50_000_000n, 0n]);
  });

  it.each([
    { from: 'SOL', to: 'USDC', amount: '0.1' },
    { from: 'USDC', to: 'SOL', amount: '10' },
  ])('of %j tells that what was wrapped before comes out, too, to the lamport', async (order) => {
    const { dryRun, trade } = world.copy();
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    await world.sandbox.faucet(agent.address, NATIVE_MINT, 2);
    const call = world.call(agent, order);
    const { balanceChanges } = await dryRun.execute(agent.agentId, call.request);
    const [before] = await world.holdings(agent, 'SOL');
    const { plan } = await trade.execute(call);
    const [after] = await world.holdings(agent, 'SOL');
    const unwrapped = { mint: NATIVE_MINT, symbol: 'wSOL', decimals: 9, amount: -2_000_000_000n };
    expect(balanceChanges).toContainEqual(unwrapped);
    // By the order that was taken: the network fee of each is its own.
    const really = changesByTrade(plan!);
    expect(really).toContainEqual(unwrapped);
    expect(really).toContainEqual({ mint: '', symbol: 'SOL', decimals: 9, amount: after! - before! });
  });
});

describe('the bounds of a request', () => {
  const ORDER = { from: 'USDC', to: 'RAY', amount: '20' };
  const intentOf = (id: string) => world.policy.intentOf(Buffer.from(id))?.action;

  it('reach policy with the intent, of a trade and of its dry run', async () => {
    const { trade, dryRun } = world.copy();
    const agent = await world.agent({ SOL: 1, USDC: 50 });
    const bounds = { maxPriceImpactBps: 1_250, allowUnpricedOutput: true };
    const call = world.call(agent, { ...ORDER, ...bounds });
    await dryRun.execute(agent.agentId, call.request);
    expect(world.policy.checked.at(-1)?.intent?.action).toMatchObject({ value: bounds });
    await trade.execute(call);
    expect(intentOf(call.operationId)).toMatchObject({ value: bounds });
  });

  it('are left to policy where the request names none', async () => {
    const { trade } = world.copy();
    const call = world.call(await world.agent({ SOL: 1, USDC: 50 }), ORDER);
    await trade.execute(call);
    const action = intentOf(call.operationId);
    expect(action).toMatchObject({ value: { allowUnpricedOutput: false } });
    expect(action?.value).not.toHaveProperty('maxPriceImpactBps');
  });
});

describe('a trade that waits for an owner', () => {
  const ORDER = { from: 'USDC', to: 'WIF', amount: '20' };
  const { APPROVAL_STATE_PENDING, APPROVAL_STATE_APPROVED, APPROVAL_STATE_REJECTED } = policyV1.ApprovalState;

  /** A trade that policy has asked an owner about. */
  async function parked(copy = world.copy()) {
    const agent = await world.agent({ SOL: 1, USDC: 100 });
    const call = world.call(agent, ORDER);
    const approvalId = newId();
    const data = { approvalId, expiresAtMs: 1_000, reasons: ['above_amount'] };
    world.approvals.states.set(approvalId, APPROVAL_STATE_PENDING);
    world.policy.refusal = new AppError('APPROVAL_REQUIRED', { data });
    const answer = await copy.trade.execute(call);
    world.policy.refusal = undefined;
    expect(answer).toMatchObject({ isConfirmed: false, approval: data });
    return { copy, agent, call, approvalId, plan: answer.plan! };
  }

  const attemptsOf = async (id: string) =>
    (
      await world.database.pool.query<{ state: string; message: Buffer }>(
        'select state, message from attempts where operation_id = $1 order by attempt',
        [id],
      )
    ).rows;

  /** As if the owner had signed another least output. */
  const signedLeast = (id: string, units: bigint) =>
    world.database.pool.query(
      `update operations set plan = jsonb_set(plan, '{offer,minOutputAmount}', to_jsonb($2::text)) where id = $1`,
      [id, String(units)],
    );

  it('is quoted and built once more when it is approved, and has one effect', async () => {
    const { copy, agent, call, approvalId } = await parked();
    expect(await copy.trade.execute(call)).toMatchObject({ approval: { approvalId } });
    expect(await world.holdings(agent, 'USDC', 'WIF')).toEqual([100_000_000n, 0n]);
    world.approvals.states.set(approvalId, APPROVAL_STATE_APPROVED);
    const answer = await world.copy().trade.execute(call);
    expect(answer).toMatchObject({ isConfirmed: true, approval: undefined });
    expect(landedOf(answer)).toEqual({ spent: 20_000_000n, gained: (await world.holdings(agent, 'WIF'))[0] });
    const [first, second, ...others] = await attemptsOf(call.operationId);
    expect([first!.state, second!.state, others]).toEqual(['abandoned', 'landed', []]);
    expect(second!.message).not.toEqual(first!.message);
  });

  it.each(['after-approval', 'after-build', 'after-reservation'] as const)(
    'is finished by another copy where one dies %s, with one effect',
    async (place) => {
      const { copy, agent, call, approvalId } = await parked();
      await copy.engine.stop();
      world.approvals.states.set(approvalId, APPROVAL_STATE_APPROVED);
      const dying = world.dyingCopy(place);
      void dying.copy.trade.execute(call).catch(() => undefined);
      await dying.died;
      expect(await world.copy().trade.execute(call)).toMatchObject({ isConfirmed: true });
      expect((await attemptsOf(call.operationId)).map(({ state }) => state)).toEqual(['abandoned', 'landed']);
      expect(await world.holdings(agent, 'USDC')).toEqual([80_000_000n]);
    },
  );

  it('tolerates less slippage where the price is nearer to the least output that was signed', async () => {
    const { copy, call, approvalId, plan } = await parked();
    const least = (plan.offer!.outputAmount * 9_990n) / 10_000n;
    await signedLeast(call.operationId, least);
    world.approvals.states.set(approvalId, APPROVAL_STATE_APPROVED);
    const answer = await copy.trade.execute(call);
    expect(answer.isConfirmed).toBe(true);
    expect(answer.plan!.offer!.minOutputAmount).toBeGreaterThanOrEqual(least);
  });

  it('moves nothing where the price is below what was signed', async () => {
    const { copy, agent, call, approvalId, plan } = await parked();
    await signedLeast(call.operationId, plan.offer!.outputAmount * 2n);
    world.approvals.states.set(approvalId, APPROVAL_STATE_APPROVED);
    const signed = world.signer.signed.size;
    for (let times = 0; times < 2; times += 1)
      await expect(copy.trade.execute(call)).rejects.toMatchObject({ code: 'SLIPPAGE_EXCEEDED' });
    expect(world.signer.signed.size).toBe(signed);
    expect(await world.holdings(agent, 'USDC')).toEqual([100_000_000n]);
  });

  it('moves nothing where it is rejected', async () => {
    const { copy, call, approvalId } = await parked();
    world.approvals.states.set(approvalId, APPROVAL_STATE_REJECTED);
    const rejected = { code: 'APPROVAL_REJECTED', data: { reason: 'rejected' } };
    await expect(copy.trade.execute(call)).rejects.toMatchObject(rejected);
    expect(await attemptsOf(call.operationId)).toMatchObject([{ state: 'abandoned' }]);
  });
});
