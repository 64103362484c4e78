// Benchmark: what the balances of a wallet with many tokens take from others.
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from '../measure/checks.mjs';
import { counted, figure } from '../measure/figure.mjs';
import { openLoop } from '../measure/load.mjs';
import { compare, inPairs } from '../measure/pairs.mjs';
import { percentile } from '../measure/statistics.mjs';
import { outsideOf, startDeployment } from '../world.mjs';
import { openBareBalances } from './bare-balances.mjs';
import { openCountingProxy, routeOf, rpcMethods } from './counting-proxy.mjs';
import { checkBalances, openHoldings, SIZES, spreadPrices } from './holdings.mjs';

/** Longer than prices are kept. */
const PRICES_FORGOTTEN_MS = 6_000;
const PER_SECOND = 10;
const MOST = SIZES.at(-1);
const READINGS = 3;
const SHARED = { unit: 'calls' };

/** Calls to chain and price API for 1, 10 and 50 tokens, then latency against a bare client. */
export async function measureBalances({ pairs, isQuick }) {
  const deployment = await startDeployment();
  const { mints, holders } = await openHoldings(deployment);
  const outside = outsideOf();
  const checks = new Checks();
  const proxies = await openProxies(deployment, outside);
  const ground = { proxies, mints, holders, checks, readings: isQuick ? 2 : READINGS };
  const together = await countCalls(ground);
  await spreadPrices(deployment);
  const apart = await countCalls(ground);
  const shared = await countShared(ground);
  await restartWallet(deployment, outside);
  const bare = openBareBalances(outside);
  const { agent } = holders.find(({ size }) => size === MOST);
  const round = (call) => openLoop({ ratePerSecond: PER_SECOND, durationMs: isQuick ? 2_000 : 5_000, call });
  const measured = await inPairs({
    pairs,
    limit: () => round(async () => checks.equal('the bare client finds all', await bare(agent.address), MOST)),
    product: () => round(async () => checks.equal('balances are answered', (await agent.balances()).status, 200)),
    numberOf: (latencies) => percentile(latencies, 0.5),
  });
  return resultOf({ together, apart, shared, measured, pairs, checks });
}

/**
 * What each size takes with nothing kept from before. What else the wallet asks the node meanwhile is counted, too: the
 * search for deposits, the reconciliation. That comes and goes, so a size counts as its least of a few readings.
 */
async function countCalls({ holders, readings, ...ground }) {
  const counts = [];
  for (const holder of oneOfEach(holders)) {
    const all = [];
    while (all.length < readings) all.push(await countReading({ ...ground, holder, waitMs: PRICES_FORGOTTEN_MS }));
    const least = all.reduce((best, each) => (each.chain.length < best.chain.length ? each : best));
    counts.push({ ...least, readings: all.map(({ chain }) => chain.length) });
  }
  return counts;
}

/** What a wallet takes right after another one with the same tokens. */
async function countShared({ holders, readings, ...ground }) {
  const [first, second] = holders.filter(({ size }) => size === MOST);
  const all = [];
  while (all.length < readings) {
    await countReading({ ...ground, holder: first, waitMs: PRICES_FORGOTTEN_MS });
    all.push(await countReading({ ...ground, holder: second, waitMs: 0 }));
  }
  return all.reduce((best, each) => (each.chain.length < best.chain.length ? each : best));
}

async function countReading({ proxies: { chain, prices }, mints, holder: { size, agent }, checks, waitMs }) {
  await sleep(waitMs);
  [chain, prices].forEach((proxy) => proxy.taken());
  const startedAtMs = performance.now();
  const answer = await agent.balances();
  const coldMs = performance.now() - startedAtMs;
  const taken = { chain: chain.taken(), prices: prices.taken() };
  return { size, ...taken, valued: checkBalances({ size, answer, mints, checks }), coldMs };
}

const oneOfEach = (holders) => SIZES.map((size) => holders.find((holder) => holder.size === size));

/** In front of what the wallet asks. */
async function openProxies(deployment, outside) {
  const chain = await openCountingProxy(outside.rpcUrl, rpcMethods);
  const prices = await openCountingProxy(outside.aggregatorUrl, routeOf);
  await restartWallet(deployment, { rpcUrl: chain.url, aggregatorUrl: prices.url });
  return { chain, prices };
}

async function restartWallet(deployment, { rpcUrl, aggregatorUrl }) {
  await deployment.terminate('wallet-0');
  await deployment.restart('wallet-0', { SOLANA_RPC_URL: rpcUrl, JUPITER_BASE_URL: aggregatorUrl });
  // The gateway finds it again by itself.
  for (let status; status !== 200; await sleep(50)) status = (await fetch(`${deployment.url()}/readyz`)).status;
}

function resultOf({ together, apart, shared, measured, pairs, checks }) {
  const late = compare(measured, (latencies) => percentile(latencies, 0.99));
  const calls = { together: callsOf(together), apart: callsOf(apart), shared: callsOf([shared]) };
  return {
    name: 'balances',
    notes: `wallets with ${SIZES.join(', ')} tokens, nothing kept from before; then ${MOST} tokens in ${pairs} pairs`,
    figures: [
      ...countFigures('prices of one block', together),
      ...countFigures('prices of many blocks', apart),
      counted(`${MOST} tokens, another wallet with the same right after: to the chain`, shared.chain.length, SHARED),
      counted(
        `${MOST} tokens, another wallet with the same right after: to the price API`,
        shared.prices.length,
        SHARED,
      ),
      figure(`latency with ${MOST} tokens, p50, against a bare client`, measured, { unit: 'ms' }),
      figure('the same, p99', late, { unit: 'ms' }),
    ],
    calls,
    tables: [countTable('prices of one block', together), countTable('prices of many blocks', apart)],
    checks: checks.all,
  };
}

/** How many calls, and whether they grow with the tokens. */
function countFigures(label, counts) {
  const [least, most] = [counts.at(0), counts.at(-1)].map(({ chain, prices }) => chain.length + prices.length);
  const { chain, prices } = counts.at(-1);
  const unit = 'calls';
  const growth = { limit: least, product: most, ratio: most / least };
  return [
    counted(`${MOST} tokens, ${label}: to the chain`, chain.length, { unit, aim: { atMost: 3 } }),
    counted(`${MOST} tokens, ${label}: to the price API`, prices.length, { unit, aim: { atMost: 2 } }),
    figure(`all for ${MOST} tokens against all for one, ${label}`, growth, { unit, aim: { atMost: 1 } }),
  ];
}

function countTable(label, counts) {
  const rows = counts.map(({ size, chain, prices, readings, valued, coldMs }) => [
    ...[String(size), String(chain.length), String(prices.length), readings.join(' '), String(valued), coldMs],
    Object.entries(sumsByName([...chain, ...prices]))
      .map(([name, times]) => `${times} ${name}`)
      .join(', '),
  ]);
  return {
    title: `calls, ${label}`,
    rows: [['tokens', 'chain', 'prices', 'each reading', 'with a value', 'ms', 'names'], ...rows],
  };
}

/** By name. */
function callsOf(counts) {
  return counts.map(({ size, chain, prices }) => ({ size, ...sumsByName([...chain, ...prices]) }));
}

function sumsByName(names) {
  const sums = {};
  for (const name of names) sums[name] = (sums[name] ?? 0) + 1;
  return sums;
}
