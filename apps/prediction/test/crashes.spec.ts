import { casesOf, eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { buyToTheEnd, owedTo, sellToTheEnd } from './saga-checks.js';
import { type Copy, SagaWorld } from './saga-world.js';

let world: SagaWorld;

beforeAll(async () => {
  world = await SagaWorld.open();
});

beforeEach(() => world.calm());

afterEach(() => world.stopCopies());

afterAll(() => world.close());

/** What is done outside, and where the process dies: right before it has its effect, or right after. */
const BUY_CALLS = ['before-escrow', 'escrow', 'before-order', 'order', 'before-payout', 'payout'];
const SELL_CALLS = ['before-order', 'order', 'before-payout', 'payout'];
const WITHDRAW_CALLS = ['before-payout', 'payout'];

const BUY_PLACES = ['planned', 'escrowed', 'posted', 'in-doubt', 'placed', 'escrow-submitted'];
const SELL_PLACES = ['locked', 'posted', 'in-doubt', 'placed', 'paying'];

/** Lets a process die at a place, or in the middle of a call, and waits until it has. */
async function crash(where: string, ask: (copy: Copy) => Promise<unknown>): Promise<boolean> {
  const { copy, died, die } = world.mortalCopy((name) => name.endsWith(`.${where}`));
  const onEffect = async (what: string) => {
    if (what !== where) return;
    world.exchange.onEffect = world.wallet.onEffect = async () => {};
    await die();
  };
  world.exchange.onEffect = world.wallet.onEffect = onEffect;
  const over = ask(copy).then(
    () => true,
    () => true,
  );
  const hasDied = await Promise.race([died.then(() => true), over.then(() => false)]);
  world.exchange.onEffect = world.wallet.onEffect = async () => {};
  return hasDied;
}

/** An agent that holds contracts. */
async function holder(): Promise<string> {
  const agent = world.agent();
  await buyToTheEnd(world, world.copy(), world.buyCall(agent));
  await world.stopCopies();
  return agent;
}

describe.each(BUY_CALLS)('a process that dies in a buy at the call %s', (where) => {
  it('leaves a buy that another one finishes, with one order', async () => {
    const agent = world.agent();
    const call = world.buyCall(agent);
    expect(await crash(where, ({ buy }) => buy.execute(call))).toBe(true);
    const heir = world.copy();
    // The heir resumes it without another call.
    await eventually(async () => (await world.published(call.operationId)).length === 3);
    expect(await heir.buy.execute(call)).toMatchObject({ isConfirmed: true, order: { status: 'filled' } });
    await world.audit();
    const { order } = await heir.buy.execute(call);
    expect(1_000_000_000n - world.wallet.fundsOf(agent)).toBe(order.totalUsdMicros + order.feeUsdMicros);
  });

  it('leaves a buy that another one ends rightly when its market closes meanwhile', async () => {
    const agent = world.agent();
    const call = world.buyCall(agent);
    expect(await crash(where, ({ buy }) => buy.execute(call))).toBe(true);
    world.exchange.trading = { status: 'closed', paused: false };
    const hasOrder = ['order', 'before-payout', 'payout'].includes(where);
    const end = await world
      .copy()
      .buy.execute(call)
      .catch((error: { code: string }) => error);
    if (hasOrder) expect(end).toMatchObject({ isConfirmed: true, order: { status: 'filled' } });
    else {
      expect(end).toMatchObject({ code: 'MARKET_CLOSED' });
      expect(world.wallet.fundsOf(agent)).toBe(1_000_000_000n);
    }
    await world.audit();
  });
});

describe.each(BUY_PLACES)('a process that dies in a buy at the place %s', (where) => {
  it('leaves a buy that another one finishes, with one order', async () => {
    const call = world.buyCall(world.agent());
    if (where === 'in-doubt') world.exchange.moods.push('lost-after');
    if (where === 'placed') world.exchange.reads.push('fails');
    if (where === 'escrow-submitted') world.wallet.next('escrow', 'slow');
    expect(await crash(where, ({ buy }) => buy.execute(call))).toBe(true);
    const { order } = await world.copy().buy.execute(call);
    expect(order).toMatchObject({ status: 'filled' });
    expect(1_000_000_000n - world.wallet.fundsOf(call.agentId)).toBe(order.totalUsdMicros + order.feeUsdMicros);
    await world.audit();
  });
});

describe.each(SELL_CALLS)('a process that dies in a sale at the call %s', (where) => {
  it('leaves a sale that another one finishes, with one order', async () => {
    const agent = await holder();
    const funds = world.wallet.fundsOf(agent);
    const call = world.sellCall(agent);
    expect(await crash(where, ({ sell }) => sell.execute(call))).toBe(true);
    const { order } = await world.copy().sell.execute(call);
    expect(order).toMatchObject({ status: 'filled', filled: 1_000n });
    expect(world.wallet.fundsOf(agent) - funds).toBe(order.totalUsdMicros - order.feeUsdMicros);
    expect(await world.ledger.freeContractsOf(agent, 'M-1', 'yes')).toBe(0n);
    await world.audit();
  });
});

describe.each(SELL_PLACES)('a process that dies in a sale at the place %s', (where) => {
  it('leaves a sale that another one finishes, with one order', async () => {
    const agent = await holder();
    if (where === 'in-doubt') world.exchange.moods.push('lost-after');
    if (where === 'placed') world.exchange.reads.push('fails');
    if (where === 'paying') world.wallet.next('payout', 'slow');
    const call = world.sellCall(agent);
    expect(await crash(where, ({ sell }) => sell.execute(call))).toBe(true);
    expect((await world.copy().sell.execute(call)).order).toMatchObject({ status: 'filled' });
    await world.audit();
  });
});

describe.each(WITHDRAW_CALLS)('a process that dies in a withdrawal at the call %s', (where) => {
  it('leaves a withdrawal that is paid once', async () => {
    const agent = world.agent();
    world.exchange.partial = 0n;
    world.wallet.next('payout', 'ends:POLICY_VIOLATION');
    await world.copy().buy.execute(world.buyCall(agent));
    await world.stopCopies();
    const [funds, owed] = [world.wallet.fundsOf(agent), await owedTo(world, agent)];
    const call = world.withdrawCall(agent, 1_000_000n);
    expect(await crash(where, ({ withdraw }) => withdraw.execute(call))).toBe(true);
    expect(await world.copy().withdraw.execute(call)).toMatchObject({ isConfirmed: true });
    expect(world.wallet.fundsOf(agent) - funds).toBe(1_000_000n);
    expect(await owedTo(world, agent)).toBe(owed - 1_000_000n);
    await world.audit();
  });
});

describe('processes that die all the time', () => {
  it.each(casesOf([1, 2, 3], { gate: [1] }))('leave nothing half done (seed %i)', async (seed) => {
    let state = seed * 2_654_435_761;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const agents = [await holder(), await holder(), world.agent()];
    for (let round = 0; round < 6; round += 1) {
      const { copy, died, die } = world.mortalCopy();
      let callsLeft = 1 + random(12);
      world.exchange.onEffect = world.wallet.onEffect = async () => {
        callsLeft -= 1;
        if (callsLeft === 0) await die();
      };
      const agent = agents[random(agents.length)]!;
      const asked = Array.from({ length: 4 }, (_, i) =>
        i % 2 === 0
          ? copy.buy.execute(world.buyCall(agent, { count: 1 + random(9), side: random(2) ? 'yes' : 'no' }))
          : copy.sell.execute(world.sellCall(agent, { count: 1 + random(9) })),
      );
      const over = Promise.allSettled(asked);
      await Promise.race([died, over]);
      world.calm();
    }
    world.copy();
    await eventually(async () => (await openOperations()) === 0, 40_000);
    await world.audit();
  });
});

async function openOperations(): Promise<number> {
  const { rowCount } = await world.database.pool.query(
    `select from operations where state in ('pending', 'submitted')`,
  );
  return rowCount ?? 0;
}

describe('a copy that was held up while another one went on', () => {
  it('writes nothing any more, and its order is not a second one', async () => {
    const { copy, died, die } = world.mortalCopy();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let isHeld = false;
    world.exchange.onEffect = async (what) => {
      if (what !== 'before-order' || isHeld) return;
      isHeld = true;
      void die();
      await held;
    };
    const call = world.buyCall(world.agent());
    void copy.buy.execute(call).catch(() => undefined);
    await died;
    expect(await world.copy().buy.execute(call)).toMatchObject({ order: { status: 'filled' } });
    release();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await world.audit();
    expect((await sellToTheEnd(world, world.copy(), world.sellCall(call.agentId))).answer).toBeDefined();
  });
});
