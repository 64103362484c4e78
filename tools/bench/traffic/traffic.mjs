// Requests to the public API that move money, and a count of what became of them.
import { randomUUID } from 'node:crypto';
import { openHttpCaller } from './http-caller.mjs';

/** As many ask at once in a closed loop. */
export const CALLERS = 64;

const CONNECTIONS = 256; // an open loop may have more under way than callers
const ERRORS_KEPT = 3;
const LEAST_RAW = 10_000;
const DECIMALS = 6;

/** What agents of one world ask its gateway for; `send` is one request, and never throws. */
export class ApiTraffic {
  /** What was not refused, and how much of it was answered before its outcome was known. */
  accepted = 0;
  undecided = 0;
  errors = 0;
  firstErrors = [];
  #asked = 0;
  #caller;

  constructor(world) {
    this.world = world;
  }

  /** Runs some work with connections of its own: between rounds they would be closed. */
  async connected(work) {
    this.#caller = openHttpCaller(this.world.deployment.url(), CONNECTIONS);
    try {
      return await work();
    } finally {
      this.#caller.close();
    }
  }

  /** The number of the next request, and the agent whose turn it is. */
  next() {
    const n = (this.#asked += 1);
    return { n, agent: this.world.agents[n % this.world.agents.length] };
  }

  /** One request of an agent: the answer's data, or undefined when it was refused. */
  async ask(agent, path, order) {
    const headers = { authorization: `Bearer ${agent.token}`, 'idempotency-key': randomUUID() };
    try {
      return this.#judge(await this.#caller.post(path, JSON.stringify(order), headers));
    } catch (error) {
      return this.#fail(String(error));
    }
  }

  /** What is wrong, in one line. */
  get complaint() {
    return this.errors > 0 ? `${this.errors}, such as ${this.firstErrors.join(' | ')}` : 'none';
  }

  #judge({ status, text }) {
    const { data } = status === 200 || status === 202 ? JSON.parse(text) : {};
    if (status !== 202 && (data?.transactionStatus ?? data?.status) !== 'confirmed')
      return this.#fail(`${status} ${text}`);
    this.accepted += 1;
    if (status === 202) this.undecided += 1;
    return data;
  }

  #fail(why) {
    this.errors += 1;
    if (this.firstErrors.length < ERRORS_KEPT) this.firstErrors.push(why);
    return undefined;
  }
}

/** Transfers of USDC from each agent in turn to each recipient in turn. */
export class TransferTraffic extends ApiTraffic {
  /** `Map(address → raw)` of agents and of recipients: what was accepted, because an error promises that nothing moved. */
  sentBy = new Map();
  sentTo = new Map();

  async send() {
    const { n, agent } = this.next();
    const to = this.world.recipients[n % this.world.recipients.length];
    const raw = LEAST_RAW + (n % 1_000);
    const order = { to, amount: raw / 10 ** DECIMALS, mint: 'USDC' };
    if (!(await this.ask(agent, '/wallets/me/actions/transfer', order))) return;
    add(this.sentBy, agent.address, BigInt(raw));
    add(this.sentTo, to, BigInt(raw));
  }
}

/** Adds to what a map has under a key. */
export function add(sums, key, raw) {
  sums.set(key, (sums.get(key) ?? 0n) + raw);
}
