// Trades through the public API, and a count of what they moved.
import { ApiTraffic } from '../measure/api-traffic.mjs';
import { tradeOf } from './turns.mjs';

/** Trades of each agent in turn: USDC for SOL, then SOL for USDC. */
export class TradeTraffic extends ApiTraffic {
  #asked = 0;
  /** `Map(address → raw)` of agents: by how much their USDC changed, as they were told. */
  usdcOf = new Map();
  /** Addresses of agents who were not told everything. */
  untold = new Set();
  #world;

  constructor(world) {
    super(world);
    this.#world = world;
  }

  /** One trade; never throws. */
  async send() {
    const { agents } = this.#world;
    const n = (this.#asked += 1);
    const { address, token } = agents[n % agents.length];
    const { from, to, raw } = tradeOf(Math.floor(n / agents.length), n);
    const amount = raw / 10 ** from.decimals;
    const done = await this.act({ token }, 'trade', { from: from.symbol, to: to.symbol, amount });
    if (!done) return;
    if (done.status !== 'confirmed') this.untold.add(address);
    else this.usdcOf.set(address, (this.usdcOf.get(address) ?? 0n) + usdcChange(from, done));
  }
}

function usdcChange(from, { inputAmountRaw, outputAmountRaw }) {
  return from.symbol === 'USDC' ? -BigInt(inputAmountRaw) : BigInt(outputAmountRaw);
}
