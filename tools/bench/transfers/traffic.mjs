// Transfers through the public API, and a count of all that was asked for.
import { ApiTraffic } from '../measure/api-traffic.mjs';

export const CALLERS = 64;

const LEAST_RAW = 10_000;
const DECIMALS = 6;

/** Sends USDC from each agent in turn to each recipient in turn. */
export class Traffic extends ApiTraffic {
  #asked = 0;
  /** `Map(address → raw)` of agents and of recipients: what was accepted, because an error promises that nothing moved. */
  sentBy = new Map();
  sentTo = new Map();
  #world;

  constructor(world) {
    super(world);
    this.#world = world;
  }

  /** One transfer; never throws. */
  async send() {
    const { agents, recipients } = this.#world;
    const n = (this.#asked += 1);
    const [agent, to] = [agents[n % agents.length], recipients[n % recipients.length]];
    const raw = LEAST_RAW + (n % 1_000);
    const done = await this.act(agent, 'transfer', { to, amount: raw / 10 ** DECIMALS, mint: 'USDC' });
    if (!done) return;
    add(this.sentBy, agent.address, raw);
    add(this.sentTo, to, raw);
  }
}

function add(sums, key, raw) {
  sums.set(key, (sums.get(key) ?? 0n) + BigInt(raw));
}
