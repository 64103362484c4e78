// An agent that buys, sells and withdraws at random, and believes nothing that it cannot add up.
import { isLastWord } from '@agent-wallet/standalone';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkAgent } from './agent-checks.mjs';
import { hundredths, micros, ResponseTotals } from './published.mjs';

const RETRY_MS = 100;
const TIMEOUT_MS = 240_000;
const LOW_USD = 15;
const DEPOSIT_USD = 100;

/** What may be answered to an order that is in order; nothing has moved then. */
const MAY_PASS = [
  'SERVICE_UNAVAILABLE',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'TRANSACTION_EXPIRED',
  'TRANSACTION_FAILED',
];
const REFUSALS = {
  buy: ['MARKET_CLOSED', 'MARKET_PAUSED', 'NO_LIQUIDITY', 'INSUFFICIENT_FUNDS', 'POLICY_VIOLATION', ...MAY_PASS],
  sell: ['MARKET_CLOSED', 'MARKET_PAUSED', 'NO_LIQUIDITY', 'INSUFFICIENT_POSITION', ...MAY_PASS],
  withdraw: ['INSUFFICIENT_FUNDS', ...MAY_PASS],
};

/** One agent of the run. */
export class Trader {
  counts = {};
  /** What its prediction balance was when it last looked. */
  cents = 0;

  /**
   * `singleLimitUsd` is the policy's limit of one operation, if it is to be met.
   */
  constructor({ agent, deployment, floor, random, startUsd, singleLimitUsd }) {
    Object.assign(this, { agent, deployment, floor, random, singleLimitUsd });
    this.totals = new ResponseTotals(micros(startUsd));
  }

  /** One operation, or two at the same time; then everything the agent has must add up. @returns how many */
  async step() {
    await this.#topUp();
    const kinds = [this.#kind(), ...(this.random.oneIn(6) ? [this.#kind()] : [])];
    const orders = kinds.map((kind) => this.#order(kind));
    const isAlone = orders.length === 1;
    await Promise.all(orders.map((order) => this.#act(order, isAlone)));
    await checkAgent(this);
    return orders.length;
  }

  #kind() {
    const dice = this.random.integer(1, 20);
    if (dice <= 11) return 'buy';
    return dice <= 17 ? 'sell' : 'withdraw';
  }

  #order(kind) {
    if (kind === 'withdraw' && this.cents > 0) return { kind, amountDollars: this.#amount() };
    const open =
      kind !== 'sell'
        ? []
        : [...this.totals.held].filter(([key, count]) => count > 0 && !this.floor.ended.has(key.split(' ')[0]));
    if (open.length === 0) return { kind: 'buy', ...this.#purchase() };
    const [key, held] = this.random.pick(open);
    const [ticker, side] = key.split(' ');
    const most = Math.max(1, Math.floor(held / 100) + (this.random.oneIn(8) ? 5 : 0));
    const minPriceCents = this.random.oneIn(4) ? this.random.integer(1, 80) : undefined;
    return { kind, body: { ticker, side, count: this.random.integer(1, most), minPriceCents } };
  }

  /** Most often there is as much. */
  #amount() {
    return this.random.integer(1, this.cents + (this.random.oneIn(6) ? 500 : 0)) / 100;
  }

  #purchase() {
    const side = this.random.pick(['yes', 'no']);
    const count = this.random.oneIn(15) ? this.random.integer(200, 2_000) : this.random.integer(1, 40);
    const maxPriceCents = this.random.oneIn(3) ? this.random.integer(20, 99) : undefined;
    return { body: { ticker: this.random.pick(this.floor.tickers), side, count, maxPriceCents } };
  }

  async #act(order, isAlone) {
    const before = new Map(this.totals.held);
    const isStillOpen = this.floor.openness(order.body?.ticker);
    const { status, body } = await this.#untilFinal(order);
    const data = body.data.originalResponse ?? body.data;
    const what = `${JSON.stringify(order)} was answered with ${status} ${JSON.stringify(data)}`;
    if (status === 200) {
      this.#count(`${order.kind} ${data.status}`);
      this.#believe(order, data, what);
      return;
    }
    this.#count(`${order.kind} ${data.code}`);
    if (!REFUSALS[order.kind].includes(data.code)) throw new Error(what);
    // Without a transaction that pays it back, the money is in the prediction balance.
    if (data.signature && data.refundSignature === null) this.isRefundUnknown = true;
    if (isAlone) this.#judge({ order, code: data.code, before, isStillOpen, what });
  }

  /** An answer keeps to what was asked for. */
  #believe({ kind, body }, data, what) {
    this.totals[kind](data);
    if (kind === 'withdraw') return;
    const { count, maxPriceCents = 99, minPriceCents = 1 } = body;
    const worth = (cents) => BigInt(hundredths(data.count)) * BigInt(cents) * 100n;
    const isOver = kind === 'buy' && micros(data.totalCostDollars) > worth(maxPriceCents);
    const isUnder = kind === 'sell' && micros(data.totalProceedsDollars) < worth(minPriceCents);
    const expected = data.count === count ? 'filled' : data.count === 0 ? 'cancelled' : 'partially_filled';
    if (isOver || isUnder || data.count > count || data.feeDollars < 0 || data.status !== expected)
      throw new Error(what);
  }

  /** A refusal has its reason. */
  #judge({ order: { kind, body, amountDollars }, code, before, isStillOpen, what }) {
    const { floor } = this;
    const isWrong =
      (code === 'INSUFFICIENT_POSITION' &&
        (before.get(`${body.ticker} ${body.side}`) ?? 0) >= body.count * 100 &&
        !floor.ended.has(body.ticker)) ||
      (code === 'INSUFFICIENT_FUNDS' && kind === 'withdraw' && this.totals.balance >= micros(amountDollars)) ||
      (code === 'INSUFFICIENT_FUNDS' && kind === 'buy' && this.totals.wallet > micros(body.count)) ||
      (code === 'POLICY_VIOLATION' && this.singleLimitUsd === undefined) ||
      (['MARKET_CLOSED', 'MARKET_PAUSED'].includes(code) && isStillOpen());
    if (isWrong) throw new Error(what);
  }

  /** As the documentation advises: the same key while the outcome is unknown. */
  async #untilFinal({ kind, body, amountDollars }) {
    const { predictions } = this.agent;
    const key = randomUUID();
    const ask = () => (kind === 'withdraw' ? predictions.withdraw(amountDollars, key) : predictions[kind](body, key));
    const deadlineMs = performance.now() + TIMEOUT_MS;
    for (let last = 'no answer'; performance.now() < deadlineMs; await sleep(RETRY_MS)) {
      const answer = await ask().catch(() => undefined);
      if (answer && isLastWord(answer)) return answer;
      last = answer ? `${answer.status} ${JSON.stringify(answer.body)}` : last;
      if (performance.now() + RETRY_MS >= deadlineMs) throw new Error(`${kind} ${key} had no end in time: ${last}`);
    }
    throw new Error(`${kind} ${key} had no end in time`);
  }

  async #topUp() {
    if (this.totals.wallet >= micros(LOW_USD) || !this.random.oneIn(3)) return;
    await this.deployment.sandbox.faucet(this.agent.address, 'USDC', DEPOSIT_USD);
    this.totals.deposit(DEPOSIT_USD);
    this.#count('deposit');
  }

  #count(name) {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}
