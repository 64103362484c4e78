import { newId, systemClock } from '@agent-wallet/kernel';
import { createOutbox } from '@agent-wallet/events';
import { type Queryable } from '@agent-wallet/platform';
import { propertyRuns, testSeed } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PostgresSettlementStore } from '../src/adapters/ledger/postgres-settlement-store.js';
import type { Side } from '../src/domain/ledger/side.js';
import type { LedgerOperation, Fill, PlacedOrder } from '../src/ports/ledger-store.js';
import { Model, type Random, randomOf } from './ledger-model.js';
import {
  type LedgerUnderTest,
  faultsOf,
  fillOf,
  openLedger,
  operationOf,
  orderRecord,
  terms,
} from './ledger-support.js';

const STEPS = propertyRuns(200);
const SEED = testSeed();
const SIDES: readonly Side[] = ['yes', 'no'];

let test: LedgerUnderTest;
beforeAll(async () => {
  test = await openLedger();
});
afterAll(() => test.close());

/** Agents that do what they like, the ledger that writes it down, and the model that knows what it comes to. */
class Run {
  readonly model = new Model();
  readonly #agents = Array.from({ length: 6 }, newId);
  #tickers = Array.from({ length: 4 }, (_, i) => `OPEN-${i}`);
  #settled = 0;
  readonly #settlements: PostgresSettlementStore;

  constructor(private readonly random: Random) {
    this.#settlements = new PostgresSettlementStore({
      database: test.database,
      outbox: createOutbox('prediction', systemClock),
      clock: systemClock,
    });
  }

  async step(): Promise<string> {
    const agentId = this.random.pick(this.#agents);
    const what = this.random.below(100);
    if (what < 45) await this.#buy(agentId);
    else if (what < 75) await this.#sell(agentId);
    else if (what < 96) await this.#withdraw(agentId);
    else await this.#settle();
    await this.#check(agentId);
    return agentId;
  }

  /** Carried out; or rolled back by a crash; or carried out and repeated by a caller that missed the result. */
  async #write<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    if (this.random.chance(0.1)) {
      const crash = new Error('crash');
      const undone = test.write((tx) => work(tx).then(() => Promise.reject(crash)));
      await undone.catch((error: unknown) => {
        if (error !== crash) throw error;
      });
    }
    const result = await test.write(work);
    return this.random.chance(0.2) ? test.write(work) : result;
  }

  async #buy(agentId: string): Promise<void> {
    const { ledger } = test;
    const operation = operationOf(agentId);
    const order = terms(this.random.pick(this.#tickers), this.random.pick(SIDES), 'buy');
    const count = BigInt(this.random.between(1, 30) * 100);
    const escrow = (count * 990_000n) / 100n + count * 700n;
    await this.#write(async (tx) => {
      await ledger.escrow(tx, operation, escrow);
      await ledger.recordOrder(tx, operation, orderRecord(order, { count }));
    });
    this.model.treasury += escrow;
    const fills = this.#fills(order, count);
    const { totalUsdMicros, feeUsdMicros } = await this.#postInParts(operation, order, fills);
    const spent = fills.reduce((sum, fill) => sum + costOf(order, fill), 0n);
    expect(totalUsdMicros + feeUsdMicros).toBe(spent);
    this.model.holding(agentId, order.ticker)[order.side] += sumOf(fills);
    await this.#pay(operation, 'startRefund', escrow - spent);
  }

  async #sell(agentId: string): Promise<void> {
    const { ledger } = test;
    const [ticker, side] = [this.random.pick(this.#tickers), this.random.pick(SIDES)];
    const held = this.model.holding(agentId, ticker)[side];
    const count = BigInt(this.random.between(1, 20) * 100);
    const operation = operationOf(agentId);
    const order = terms(ticker, side, 'sell');
    const lock = this.#write((tx) => ledger.lockPosition(tx, operation, { ticker, side, count }));
    if (count > held) return expect(lock).rejects.toMatchObject({ code: 'INSUFFICIENT_POSITION' });
    await lock;
    const fills = this.#fills(order, count);
    const { totalUsdMicros, feeUsdMicros } = await this.#postInParts(operation, order, fills);
    await this.#write((tx) => ledger.unlockPosition(tx, operation));
    this.model.holding(agentId, ticker)[side] -= sumOf(fills);
    this.model.credit(agentId, totalUsdMicros - feeUsdMicros);
    const exact = fills.reduce((sum, fill) => sum + worthOf(order, fill), 0n);
    this.model.lost += totalUsdMicros - feeUsdMicros - exact;
    if (totalUsdMicros > feeUsdMicros && this.random.chance(0.7)) {
      this.model.credit(agentId, feeUsdMicros - totalUsdMicros);
      await this.#pay(operation, 'startPayout', totalUsdMicros - feeUsdMicros);
    }
  }

  async #withdraw(agentId: string): Promise<void> {
    const balance = this.model.balances.get(agentId) ?? 0n;
    const wanted = BigInt(this.random.between(1, 3_000)) * 10_000n;
    const operation = operationOf(agentId);
    if (wanted > balance) {
      const begun = this.#write((tx) => test.ledger.startPayout(tx, operation, 1, wanted));
      return expect(begun).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    }
    this.model.credit(agentId, -wanted);
    await this.#pay(operation, 'startPayout', wanted);
  }

  /** On its way out, and then arrived or not. */
  async #pay(operation: LedgerOperation, begin: 'startRefund' | 'startPayout', amount: bigint): Promise<void> {
    if (amount === 0n) return;
    const step = begin === 'startRefund' ? 3 : 1;
    await this.#write((tx) => test.ledger[begin](tx, operation, step, amount));
    if (this.random.chance(0.85)) {
      this.model.treasury -= amount;
      await this.#write((tx) => test.ledger.payoutConfirmed(tx, operation, step));
    } else {
      this.model.credit(operation.agentId, amount);
      await this.#write((tx) => test.ledger.payoutExpired(tx, operation, step));
    }
  }

  #fills(order: PlacedOrder, count: bigint): Fill[] {
    const fills: Fill[] = [];
    let left = count;
    for (let parts = this.random.below(4); parts > 0 && left > 0n; parts -= 1) {
      const part = this.random.chance(0.3) ? left : BigInt(this.random.between(1, Number(left)));
      const priceUsdMicros = BigInt(this.random.between(1, 989)) * 1_000n;
      const feeUsdMicros = BigInt(this.random.below(Number(part) * 700));
      const fill = fillOf(order, { count: part, priceUsdMicros, feeUsdMicros });
      fills.push(fill);
      left -= part;
      const price = fill.side === 'yes' ? fill.yesPriceUsdMicros : fill.noPriceUsdMicros;
      this.model.trade(order.ticker, fill.side, { count: part, price, fee: feeUsdMicros });
    }
    return fills;
  }

  /** As the exchange shows them: some first, then all. */
  async #postInParts(operation: LedgerOperation, order: PlacedOrder, fills: readonly Fill[]) {
    const seen = fills.slice(0, this.random.between(0, fills.length));
    await this.#write((tx) => test.ledger.postFills(tx, operation, order, seen));
    return this.#write(async (tx) => {
      const filled = await test.ledger.postFills(tx, operation, order, [...fills].reverse());
      await test.ledger.recordOrder(tx, operation, orderRecord(order, { count: 10_000n, status: 'filled' }));
      return filled;
    });
  }

  async #settle(): Promise<void> {
    const ticker = this.random.pick(this.#tickers);
    const result = this.random.pick(['yes', 'no', 'scalar', 'void'] as const);
    const values = { yes: 1_000_000n, no: 0n, scalar: BigInt(this.random.below(1_000_001)), void: 500_000n };
    const yesValueUsdMicros = values[result];
    const revenueUsdMicros = this.model.settle(ticker, yesValueUsdMicros);
    const outcome = { ticker, result, yesValueUsdMicros, paid: { revenueUsdMicros, tradingFeesUsdMicros: 70_000n } };
    const notices = Array.from({ length: 3 }, async () => {
      const answer = await this.#settlements.begin(outcome);
      await this.#settlements.payHolders(ticker);
      return answer;
    });
    expect((await Promise.all(notices)).sort()).toEqual(['begun', 'begun_earlier', 'begun_earlier']);
    this.#tickers = this.#tickers.map((each) => (each === ticker ? `NEXT-${(this.#settled += 1)}` : each));
  }

  async #check(agentId: string): Promise<void> {
    expect(await test.total('treasury_usdc')).toBe(this.model.treasury);
    expect(await test.total('exchange_cash')).toBe(this.model.cash);
    const { availableUsdMicros, reservedUsdMicros } = await test.ledger.balanceOf(agentId);
    expect([availableUsdMicros, reservedUsdMicros]).toEqual([this.model.balances.get(agentId) ?? 0n, 0n]);
  }

  async checkAll(): Promise<void> {
    expect(await faultsOf(test)).toEqual([]);
    expect([await test.total('escrow'), await test.total('withdraw_pending')]).toEqual([0n, 0n]);
    for (const agentId of this.#agents) await this.#check(agentId);
    for (const ticker of this.#tickers) {
      let [yes, no] = [0n, 0n];
      for (const agentId of this.#agents) {
        const held = this.model.holding(agentId, ticker);
        for (const side of SIDES) expect(await test.ledger.freeContractsOf(agentId, ticker, side)).toBe(held[side]);
        [yes, no] = [yes + held.yes, no + held.no];
      }
      expect(yes - no).toBe(this.model.net.get(ticker) ?? 0n);
    }
    // Upstream holdings are what agents are owed plus the operator's gains or losses, to the micro-dollar.
    const kinds = ['prediction_balance', 'netted_pairs', 'settlement_due', 'exchange_costs', 'rounding'];
    const totals = await Promise.all(kinds.map((kind) => test.total(kind)));
    expect(this.model.treasury + this.model.cash + totals.reduce((a, b) => a + b, 0n)).toBe(0n);
  }
}

const sumOf = (fills: readonly Fill[]) => fills.reduce((sum, { count }) => sum + count, 0n);
const priceOf = ({ side }: PlacedOrder, fill: Fill) =>
  side === 'yes' ? fill.yesPriceUsdMicros : fill.noPriceUsdMicros;
const costOf = (order: PlacedOrder, fill: Fill) => (priceOf(order, fill) * fill.count) / 100n + fill.feeUsdMicros;
const worthOf = (order: PlacedOrder, fill: Fill) => (priceOf(order, fill) * fill.count) / 100n - fill.feeUsdMicros;

it(`the ledger matches its upstreams through ${STEPS} random operations`, async () => {
  const run = new Run(randomOf(SEED));
  for (let step = 1; step <= STEPS; step += 1) {
    try {
      await run.step();
      if (step % 100 === 0) await run.checkAll();
    } catch (error) {
      throw new Error(`seed ${SEED}, step ${step}`, { cause: error });
    }
  }
  expect(await test.total('exchange_costs')).toBe(run.model.lost);
});
