// Benchmark: pages of markets that somebody has asked for just before.
import { Checks } from '../measure/checks.mjs';
import { counted, figure } from '../measure/figure.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { descendants, variableOf } from '../measure/process-cpu.mjs';
import { profiled } from '../measure/profile.mjs';
import { median, sum } from '../measure/statistics.mjs';
import { openCountingProxy, routeOf } from '../balances/counting-proxy.mjs';
import { CALLERS, rateTable, requestRound } from '../gateway/requests.mjs';
import { productProcess } from '../process-names.mjs';
import { processTable } from '../transfers/tables.mjs';
import { openWorld } from '../world.mjs';

const AGENTS = 50;
/** The gateway, and the one service that has the answer: what every read takes at least. */
const ROUTE = '/wallets/me/policy';
const PAGE = '/predictions/markets?limit=20';
const PAGE_LENGTH = 20;

/** Just-in-time compilers need thousands of calls. */
const LONG = { warmUp: { calls: 8_000 }, round: { durationMs: 4_000 }, profile: { durationMs: 6_000 } };
const QUICK = { warmUp: { calls: 2_000 }, round: { durationMs: 1_500 }, profile: { durationMs: 3_000 } };

/** CPU of an answer, of all processes, against that of the gateway's smallest route; and calls to the exchange. */
export async function measureBrowse({ pairs, isQuick, profilePath }) {
  const times = isQuick ? QUICK : LONG;
  const { deployment, agents } = await openWorld({ agents: AGENTS });
  const proxy = await standBetween(deployment);
  const errors = [];
  const round = (path, isRight) => (extent) => {
    const judge = ({ status, text }) => {
      if (status !== 200 || !isRight(JSON.parse(text).data)) errors.push(`${path}: ${status} ${text}`);
    };
    const nameOf = (process) => ofProduct(productProcess(process));
    return requestRound({ url: deployment.url(), extent, ask: asking(path, agents), judge, nameOf });
  };
  const limit = round(ROUTE, ({ policy }) => policy !== undefined);
  const product = round(PAGE, ({ markets }) => markets?.length === PAGE_LENGTH);
  await limit(times.warmUp);
  await product(times.warmUp);
  const asked = [];
  const counting = async () => {
    proxy.taken();
    const found = await product(times.round);
    asked.push({ calls: pagesOf(proxy.taken()), answers: found.ratePerSecond * (times.round.durationMs / 1_000) });
    return found;
  };
  const numberOf = ({ cpuUs }) => cpuUs;
  const measured = await inPairs({ pairs, limit: () => limit(times.round), product: counting, numberOf });
  const profiles = profilePath ? await profilePrediction(() => product(times.profile), profilePath) : [];
  const checks = new Checks();
  checks.equal('answers that were not a page of markets', errors[0] ?? 'none', 'none');
  return resultOf({ measured, pairs, asked, profiles, checks });
}

/** A proxy between prediction and the exchange, which counts. */
async function standBetween(deployment) {
  const { pid } = [...descendants().values()].find((process) => productProcess(process) === 'prediction');
  const baseUrl = variableOf(pid, 'KALSHI_BASE_URL');
  const { origin, pathname } = new URL(baseUrl);
  const proxy = await openCountingProxy(origin, routeOf);
  await deployment.terminate('prediction-0');
  await deployment.restart('prediction-0', {
    KALSHI_BASE_URL: proxy.url + pathname,
    KALSHI_WS_URL: `${origin.replace('http', 'ws')}/trade-api/ws/v2`,
  });
  return proxy;
}

const pagesOf = (calls) => calls.filter((route) => route.endsWith('/markets')).length;

/** What the sandbox and the end that asks spend is not counted. */
const ofProduct = (name) => (name === 'sandbox' ? undefined : name);

/** Asks in the name of each agent in turn. */
function asking(path, agents) {
  const headers = agents.map(({ token }) => ({ authorization: `Bearer ${token}` }));
  let turn = 0;
  return (caller) => caller.get(path, headers[(turn += 1) % headers.length]);
}

function profilePrediction(load, directory) {
  const { pid } = [...descendants().values()].find((process) => productProcess(process) === 'prediction');
  return profiled({ name: 'browse-prediction', pid, load, directory });
}

function resultOf({ measured, pairs, asked, profiles, checks }) {
  const { limitRounds, productRounds } = measured;
  const rate = (rounds) => median(rounds.map(({ ratePerSecond }) => ratePerSecond));
  const perThousand = (1_000 * sum(asked.map(({ calls }) => calls))) / sum(asked.map(({ answers }) => answers));
  return {
    name: 'browse',
    notes: `GET ${PAGE}, ${CALLERS} callers over ${AGENTS} agents, ${pairs} pairs, against GET ${ROUTE}`,
    figures: [
      figure('a page of markets against the smallest route', measured, { unit: 'µs of CPU' }),
      counted('asked of the exchange', perThousand.toFixed(2), { unit: 'calls for 1 000 answers' }),
    ],
    tables: [
      processTable(productRounds, 'an answer'),
      rateTable({ 'smallest route': rate(limitRounds), 'page of markets': rate(productRounds) }),
      ...profiles,
    ],
    checks: checks.all,
  };
}
