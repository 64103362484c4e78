// Trades through the public API, and what is traded on both sides of the comparison.
import { addressesOf, auditLandings, landingsOf, usdcBy } from './audit.mjs';
import { add, ApiTraffic } from './traffic.mjs';

const USDC = { symbol: 'USDC', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6, leastRaw: 10_000 };
const SOL = { symbol: 'SOL', mint: 'So11111111111111111111111111111111111111112', decimals: 9, leastRaw: 100_000 };

/** What the product tolerates by default. */
export const SLIPPAGE_BPS = 50;

/** Of one turn and the next, one goes there and the other back; the amount is another for every `n`. */
export function tradeOf(turn, n) {
  const [from, to] = turn % 2 === 0 ? [USDC, SOL] : [SOL, USDC];
  return { from, to, raw: from.leastRaw + (n % 1_000) };
}

/** Trades of each agent in turn: USDC for SOL, then SOL for USDC. */
export class TradeTraffic extends ApiTraffic {
  /** `Map(address → raw)` of agents: by how much their USDC changed, as the answers say. */
  usdcOf = new Map();
  /** Addresses of agents who did not get every outcome. */
  untold = new Set();

  async send() {
    const { n, agent } = this.next();
    const { from, to, raw } = tradeOf(Math.floor(n / this.world.agents.length), n);
    const order = { from: from.symbol, to: to.symbol, amount: raw / 10 ** from.decimals };
    const done = await this.ask(agent, '/wallets/me/actions/trade', order);
    if (!done) return;
    if (done.status !== 'confirmed') this.untold.add(agent.address);
    else add(this.usdcOf, agent.address, from === USDC ? -BigInt(done.inputAmountRaw) : BigInt(done.outputAmountRaw));
  }
}

/** What the chain says before anything was traded. */
export async function takeStock({ world, bare }) {
  return { landed: await landingsOf(world), usdc: await usdcOf({ world, bare }) };
}

/** Compares the answers with the chain and the history. */
export async function audit({ world, bare, traffic, ledgers, stock, checks }) {
  await auditLandings({ world, stock, traffic, ledgers, checks, action: 'trade' });
  const changes = (await usdcOf({ world, bare })).map((raw, i) => raw - stock.usdc[i]);
  const wrong = world.agents.filter(
    ({ address }, i) => !traffic.untold.has(address) && changes[i] !== (traffic.usdcOf.get(address) ?? 0n),
  );
  checks.equal('every wallet has the USDC that its agent was answered', wrong.length, 0);
  checks.equal('the bare client has the USDC that it was answered', changes.at(-1), bare.usdcRaw);
}

/** Base units of each agent, and of the bare client at the end. */
const usdcOf = ({ world, bare }) => usdcBy(world, addressesOf([...world.agents, bare]));
