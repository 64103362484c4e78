// Purchases through the public API, and the markets where agents buy.
import { addressesOf, usdcBy } from './audit.mjs';
import { add, ApiTraffic } from './traffic.mjs';

const MARKETS = 8;
const DEPTH = 10_000_000;

/** Contracts of a purchase, and its limit: there is something to bring back. */
const COUNT = 1;
const LIMIT_CENTS = 60;

/** Opens markets that no agent can empty; their tickers. */
export async function openMarkets(sandbox) {
  const tickers = Array.from({ length: MARKETS }, (_, i) => `BENCH-${i}`);
  for (const ticker of tickers) {
    await sandbox.addMarket({ ticker, title: `${ticker}?`, yesBid: 48, yesAsk: 52, size: DEPTH });
  }
  return tickers;
}

/** Each side by turns, so that what is held cancels out. */
function sideOf(n) {
  return Math.floor(n / MARKETS) % 2 === 0 ? 'yes' : 'no';
}

const micros = (dollars) => BigInt(Math.round(dollars * 1e6));

/** Buys for each agent in turn in each market in turn. */
export class BuyTraffic extends ApiTraffic {
  /** `Map(address → micro-dollars)`: what the answers say that it cost. */
  spentBy = new Map();
  /** Addresses of agents who did not get every outcome. */
  untold = new Set();

  async send() {
    const { n, agent } = this.next();
    const ticker = this.world.tickers[n % MARKETS];
    const order = { ticker, side: sideOf(n), count: COUNT, maxPriceCents: LIMIT_CENTS };
    const done = await this.ask(agent, '/predictions/buy', order);
    if (!done) return;
    if (done.transactionStatus !== 'confirmed') this.untold.add(agent.address);
    else if (done.count !== COUNT) this.errors += 1;
    else add(this.spentBy, agent.address, micros(done.totalCostDollars) + micros(done.feeDollars));
  }
}

/** What the chain says before anything was bought, and afterwards. */
export const usdcOf = (world) => usdcBy(world, addressesOf(world.agents));

/** Compares the answers with chain, exchange, ledger and history. */
export async function audit({ world, traffic, ledgers, stock, checks }) {
  checks.equal('errors answered', traffic.complaint, 'none');
  const left = await usdcOf(world);
  const wrong = world.agents.filter(
    ({ address }, i) => !traffic.untold.has(address) && stock[i] - left[i] !== (traffic.spentBy.get(address) ?? 0n),
  );
  checks.equal('every wallet has paid what its agent was answered', wrong.length, 0);
  const { orders, fills } = await world.deployment.sandbox.exchangeAccount();
  checks.equal('one order for each purchase', orders.length, traffic.accepted);
  checks.equal('one fill for each order', fills.length, traffic.accepted);
  checks.equal('history shows each as confirmed', await ledgers.confirmed('prediction_buy'), traffic.accepted);
  const stuck = `select coalesce(sum(abs(balance)), 0) from prediction.accounts where kind in ('escrow', 'withdraw_pending')`;
  checks.equal('nothing is left in escrow or on its way', await ledgers.number(stuck), 0);
}
