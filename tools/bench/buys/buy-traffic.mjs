// Purchases through the public API, and a count of what they cost.
import { ApiTraffic } from '../measure/api-traffic.mjs';
import { COUNT, LIMIT_CENTS, sideOf } from './markets.mjs';

const micros = (dollars) => BigInt(Math.round(dollars * 1e6));

/** Buys for each agent in turn in each market in turn. */
export class BuyTraffic extends ApiTraffic {
  #asked = 0;
  /** `Map(address → micro-dollars)`: what agents were told that it cost. */
  spentBy = new Map();
  /** Addresses of agents who were not told everything. */
  untold = new Set();
  #world;

  constructor(world) {
    super(world);
    this.#world = world;
  }

  /** One purchase; never throws. */
  async send() {
    const { agents, tickers } = this.#world;
    const n = (this.#asked += 1);
    const agent = agents[n % agents.length];
    const order = { ticker: tickers[n % tickers.length], side: sideOf(n), count: COUNT, maxPriceCents: LIMIT_CENTS };
    const done = await this.ask(agent, '/predictions/buy', order);
    if (!done) return;
    if (done.transactionStatus !== 'confirmed') this.untold.add(agent.address);
    else if (done.count !== COUNT) this.errors += 1;
    else {
      const cost = micros(done.totalCostDollars) + micros(done.feeDollars);
      this.spentBy.set(agent.address, (this.spentBy.get(agent.address) ?? 0n) + cost);
    }
  }
}
