// Transfers through the public API, and a count of all that was asked for.
import { randomUUID } from 'node:crypto';
import { openHttpCaller } from '../measure/http-caller.mjs';

export const CALLERS = 64;

const LEAST_RAW = 10_000;
const DECIMALS = 6;
const CONNECTIONS = 256; // an open loop may have more under way than callers
const ERRORS_KEPT = 3;

/** Sends USDC from each agent in turn to each recipient in turn. */
export class Traffic {
  #asked = 0;
  /** Transfers that were not refused, and how many of them were answered before their outcome was known. */
  accepted = 0;
  undecided = 0;
  errors = 0;
  firstErrors = [];
  /** `Map(address → raw)` of agents and of recipients: what was accepted, because an error promises that nothing moved. */
  sentBy = new Map();
  sentTo = new Map();
  #world;
  #caller;

  constructor(world) {
    this.#world = world;
  }

  /** Runs some work with connections of its own: between rounds they would be closed. */
  async connected(work) {
    this.#caller = openHttpCaller(this.#world.deployment.url(), CONNECTIONS);
    try {
      return await work();
    } finally {
      this.#caller.close();
    }
  }

  /** One transfer; never throws. */
  async send() {
    const { agents, recipients } = this.#world;
    const n = (this.#asked += 1);
    const order = {
      agent: agents[n % agents.length],
      to: recipients[n % recipients.length],
      raw: LEAST_RAW + (n % 1_000),
    };
    const body = JSON.stringify({ to: order.to, amount: order.raw / 10 ** DECIMALS, mint: 'USDC' });
    const headers = { authorization: `Bearer ${order.agent.token}`, 'idempotency-key': randomUUID() };
    try {
      this.#judge(order, await this.#caller.post('/wallets/me/actions/transfer', body, headers));
    } catch (error) {
      this.#fail(String(error));
    }
  }

  #judge({ agent, to, raw }, { status, text }) {
    if (status !== 202 && !(status === 200 && JSON.parse(text).data.status === 'confirmed')) {
      this.#fail(`${status} ${text}`);
      return;
    }
    this.accepted += 1;
    if (status === 202) this.undecided += 1;
    add(this.sentBy, agent.address, raw);
    add(this.sentTo, to, raw);
  }

  #fail(why) {
    this.errors += 1;
    if (this.firstErrors.length < ERRORS_KEPT) this.firstErrors.push(why);
  }
}

function add(sums, key, raw) {
  sums.set(key, (sums.get(key) ?? 0n) + BigInt(raw));
}
