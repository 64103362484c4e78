// What agents do all day, and what they are owed for it.
import { callJson, isLastWord } from '@agent-wallet/standalone';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ResponseTotals } from './predictions/published.mjs';

const RETRY_PAUSE_MS = 500;
const OPERATION_TIMEOUT_MS = 180_000;
/** Why trades and orders may not be done. */
const NOT_DONE = [
  ...['POLICY_VIOLATION', 'INSUFFICIENT_FUNDS', 'SLIPPAGE_EXCEEDED', 'NO_ROUTE', 'TRANSACTION_FAILED'],
  ...['NO_LIQUIDITY', 'MARKET_CLOSED', 'MARKET_PAUSED', 'INSUFFICIENT_POSITION'],
];

/** One agent that acts on and on, and writes down what became of everything it asked for. */
export class BusyAgent {
  /** `{ id, to, token, raw, status }` of every transfer that has an end. */
  transfers = [];
  /** `{ signature, token, raw }` of everything that was sent to it from outside. */
  deposits = [];
  /** Answers that must not be: a 4xx that nothing explains, or no end in time. */
  surprises = [];
  /** By how much trades have changed what it holds, in base units. */
  traded = { SOL: 0n, USDC: 0n };
  /** What came of prediction markets. */
  predicted = new ResponseTotals(0n);
  counts = { transfers: 0, trades: 0, orders: 0, retries: 0, reads: 0, deposits: 0, refused: 0, policies: 0 };

  constructor({ agent, urls, sandbox, others, tickers, random }) {
    Object.assign(this, { agent, urls, sandbox, others, tickers, random });
  }

  /** Acts until it is stopped; finishes what it has begun. */
  async live(isOver) {
    while (!isOver()) {
      const kind = this.random.integer(1, 14);
      if (kind <= 6) await this.#transfer();
      else if (kind <= 8) await this.#trade();
      else if (kind <= 10) await this.#order();
      else if (kind <= 12) await this.#read();
      else if (kind === 13) await this.#receive();
      else await this.#changePolicy();
    }
  }

  /** Sends money as skill.md advises: the same key until its operation has an end, a new key after a 5xx that is one. */
  async #transfer() {
    const token = this.random.pick(['SOL', 'USDC', 'USDC']);
    const raw = token === 'SOL' ? this.random.integer(1_000_000, 3_000_000) : this.random.integer(10_000, 900_000);
    const body = {
      to: this.random.pick(this.others),
      amount: raw / (token === 'SOL' ? 1e9 : 1e6),
      ...(token === 'SOL' ? {} : { mint: token }),
      ...(this.random.oneIn(4) ? { memo: `order ${this.counts.transfers}` } : {}),
    };
    this.counts.transfers += 1;
    const order = { to: body.to, token, raw };
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const answer = await this.#untilFinal('/wallets/me/actions/transfer', body, randomUUID());
      if (answer.status < 500) return this.#note(order, answer);
      this.counts.retries += 1;
      this.transfers.push({ ...order, id: answer.body.data.transactionId, status: 'failed' });
      await sleep(RETRY_PAUSE_MS);
    }
    this.surprises.push(`twenty 5xx in a row for ${JSON.stringify(order)}`);
  }

  /** Trades between the two it always has. What was not done is left. */
  async #trade() {
    const isSale = this.random.oneIn(2);
    const [from, to, amount] = isSale
      ? ['SOL', 'USDC', this.random.integer(1, 5) / 1_000]
      : ['USDC', 'SOL', this.random.integer(10, 90) / 100];
    this.counts.trades += 1;
    const data = await this.#done('/wallets/me/actions/trade', { from, to, amount });
    if (!data) return;
    this.traded[from] -= BigInt(data.inputAmountRaw);
    this.traded[to] += BigInt(data.outputAmountRaw);
  }

  /** Buys contracts, or sells some that it has. What was not done is left. */
  async #order() {
    this.counts.orders += 1;
    const held = [...this.predicted.held].filter(([, count]) => count >= 100);
    if (held.length > 0 && this.random.oneIn(2)) {
      const [key, count] = this.random.pick(held);
      const [ticker, side] = key.split(' ');
      const order = { ticker, side, count: this.random.integer(1, Math.floor(count / 100)) };
      const data = await this.#done('/predictions/sell', order);
      if (data) this.predicted.sell(data);
      return;
    }
    const order = { ticker: this.random.pick(this.tickers), side: this.random.pick(['yes', 'no']) };
    const data = await this.#done('/predictions/buy', { ...order, count: this.random.integer(1, 5) });
    if (data) this.predicted.buy(data);
  }

  /** What an answer tells that something was done; undefined when nothing was. */
  async #done(path, body) {
    const answer = await this.#untilFinal(path, body, randomUUID());
    const data = answer.body.data.originalResponse ?? answer.body.data;
    if (answer.status === 200) return data;
    if (answer.status >= 500) this.counts.retries += 1;
    else if (NOT_DONE.includes(data.code)) this.counts.refused += 1;
    else this.surprises.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    // Without a transaction that pays it back, the money is in the prediction balance.
    if (data.signature && data.refundSignature === null) this.isRefundUnknown = true;
    return undefined;
  }

  #note(order, { status, body }) {
    const data = body.data.originalResponse ?? body.data;
    if (status === 200) this.transfers.push({ ...order, id: data.transactionId, status: 'confirmed' });
    else if (['POLICY_VIOLATION', 'INSUFFICIENT_FUNDS', 'RATE_LIMIT_EXCEEDED'].includes(data.code)) {
      this.counts.refused += 1;
    } else if (data.code === 'TRANSACTION_FAILED') {
      this.transfers.push({ ...order, id: data.transactionId, status: 'failed' });
    } else this.surprises.push(`${status} ${JSON.stringify(body)}`);
  }

  /** Repeats a request with its key until its outcome is known, whichever gateway answers, through lost answers. */
  async #untilFinal(path, body, key) {
    const deadlineMs = performance.now() + OPERATION_TIMEOUT_MS;
    for (;;) {
      const answer = await this.#call(path, { body, headers: { 'idempotency-key': key } });
      if (answer && isLastWord(answer)) return answer;
      if (answer?.body && answer.status >= 500) this.counts.retries += 1;
      if (performance.now() > deadlineMs) {
        this.surprises.push(`no outcome in time for the key ${key}: ${answer?.status}`);
        return { status: 200, body: { data: { transactionId: answer?.body?.data?.transactionId } } };
      }
      await sleep(RETRY_PAUSE_MS);
    }
  }

  async #read() {
    this.counts.reads += 1;
    const path = this.random.pick(['/wallets/me/balances', '/wallets/me/history?limit=20', '/wallets/me/policy/usage']);
    const answer = await this.#call(path);
    if (answer && answer.status >= 400 && answer.status < 500) this.surprises.push(`${path}: ${answer.status}`);
  }

  async #receive() {
    const [token, amount, raw] = this.random.pick([
      ['SOL', 0.02, 20_000_000n],
      ['USDC', 2.5, 2_500_000n],
    ]);
    const signature = await this.sandbox.faucet(this.agent.address, token, amount).catch(() => undefined);
    if (!signature) return;
    this.counts.deposits += 1;
    this.deposits.push({ signature, token, raw });
  }

  async #changePolicy() {
    this.counts.policies += 1;
    const body = { dailyLimitInUsd: this.random.integer(50_000, 90_000), maxSingleTransactionInUsd: 1_000 };
    const answer = await this.#call('/wallets/me/policy', { method: 'PATCH', body });
    if (answer && answer.status >= 400 && answer.status < 500) this.surprises.push(`PATCH: ${answer.status}`);
  }

  /** Undefined when there was no answer. */
  async #call(path, options = {}) {
    const headers = { authorization: `Bearer ${this.agent.token}`, ...options.headers };
    return callJson(`${this.random.pick(this.urls)}${path}`, { ...options, headers }).catch(() => undefined);
  }
}
