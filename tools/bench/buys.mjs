// Benchmark: CPU of a purchase of contracts over all services and Postgres, from the public API to the refund.
import { measureCosts } from './costs.mjs';
import { audit, BuyTraffic, openMarkets, usdcOf } from './traffic/buys.mjs';
import { startWithAgents } from './world.mjs';

const LONG = { warmUpCalls: 3_000, roundMs: 10_000 };
const QUICK = { warmUpCalls: 300, roundMs: 4_000 };

export async function measure({ pairs, isQuick }) {
  const environment = { TREASURY_PAYOUT_DAILY_LIMIT_USD: '10000000' };
  // The exchange's own ceiling would be measured otherwise.
  const world = await startWithAgents({ agents: 100, exchangeTier: 'prime', environment });
  world.tickers = await openMarkets(world.deployment.sandbox);
  const times = isQuick ? QUICK : LONG;
  return measureCosts({ world, Traffic: BuyTraffic, takeStock: usdcOf, audit, what: 'a purchase', times }, pairs);
}
