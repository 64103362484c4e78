// What agents do all day, and what they are owed for it.
import { callJson } from '@agent-wallet/standalone';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_PAUSE_MS = 500;
const OPERATION_PATIENCE_MS = 180_000;

/** One agent that acts on and on, and writes down what became of everything it asked for. */
export class BusyAgent {
  /** `{ id, to, token, raw, status }` of every transfer that has an end. */
  transfers = [];
  /** `{ signature, token, raw }` of everything that was sent to it from outside. */
  deposits = [];
  /** Answers that must not be: a 4xx that nothing explains, or no end in time. */
  surprises = [];
  counts = { transfers: 0, retries: 0, reads: 0, deposits: 0, refused: 0, policies: 0 };

  constructor({ agent, urls, sandbox, others, random }) {
    Object.assign(this, { agent, urls, sandbox, others, random });
  }

  /** Acts until told to stop; finishes what it has begun. */
  async live(isOver) {
    while (!isOver()) {
      const kind = this.random.integer(1, 10);
      if (kind <= 6) await this.#transfer();
      else if (kind <= 8) await this.#read();
      else if (kind === 9) await this.#receive();
      else await this.#changePolicy();
    }
  }

  /** Sends money as the specification advises: the same key while nothing is known, a new key after a 5xx. */
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
      const answer = await this.#untilFinal(body, randomUUID());
      if (answer.status < 500) return this.#note(order, answer);
      this.counts.retries += 1;
      this.transfers.push({ ...order, id: answer.body.data.transactionId, status: 'failed' });
      await sleep(RETRY_PAUSE_MS);
    }
    this.surprises.push(`twenty 5xx in a row for ${JSON.stringify(order)}`);
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
  async #untilFinal(body, key) {
    const deadlineMs = performance.now() + OPERATION_PATIENCE_MS;
    for (;;) {
      const answer = await this.#call('/wallets/me/actions/transfer', { body, headers: { 'idempotency-key': key } });
      const isOpen = !answer?.body || answer.status === 202 || answer.status === 409;
      if (!isOpen) return answer;
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
