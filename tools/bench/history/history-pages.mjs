// Benchmark: pages of an agent's history in a table of millions of records, against a small one.
import path from 'node:path';
import { openRound, openServer } from '../events/databases.mjs';
import { Checks } from '../measure/checks.mjs';
import { figure } from '../measure/figure.mjs';
import { inPairs } from '../measure/pairs.mjs';
import { median } from '../measure/statistics.mjs';
import { BUSY_AGENT, fillHistory, FILTER, openNaiveReader, pageOf, totalOf } from './filled-history.mjs';
import { makeCertificates, openHistory } from './history-service.mjs';

const SMALL = 10_000;
const LARGE = 10_000_000;
const QUICK_LARGE = 200_000;
const LIMIT = 50;
const CALLS = 300;
const QUICK_CALLS = 60;
const WARM_UP_CALLS = 200;
const NAIVE_CALLS = 3;
/** Pages in the middle are this far apart, so that many of the places between two marks are met. */
const STRIDE = 7;
const AIM = { atMost: 1.5 };

const PAGES = ['first', 'middle', 'last'];
const ACTIONS = ['', FILTER];

/** The busy agent has a tenth of the records of either. */
export async function measureHistoryPages({ pairs, isQuick }) {
  const server = await openServer();
  const certificates = await makeCertificates(path.join(server.directory, 'certificates'));
  const calls = isQuick ? QUICK_CALLS : CALLS;
  const open = (rows) => openSide({ server, certificates, rows, calls });
  const small = await open(SMALL);
  const large = await open(isQuick ? QUICK_LARGE : LARGE);
  const checks = new Checks();
  await checkPages({ checks, sides: [small, large] });
  const figures = [];
  for (const action of ACTIONS) {
    for (const page of PAGES) figures.push(await comparePage({ small, large, action, page, pairs }));
  }
  figures.push(await compareNaive({ small, large, checks }));
  return {
    name: 'history-pages',
    notes: `pages of ${LIMIT} of an agent with a tenth of ${large.rows} records against ${small.rows}, over gRPC; ${calls} calls a round, ${pairs} pairs`,
    figures,
    tables: [],
    checks: checks.all,
  };
}

/** A database with its service; what is asked of it is counted to vary the page. */
async function openSide({ server, certificates, rows, calls }) {
  const { connections } = await openRound(server);
  await fillHistory({ connections, rows, tell: console.log });
  const client = await openHistory({ connections, certificates });
  const list = (query) => client.listTransactions({ agentId: BUSY_AGENT, limit: LIMIT, ...query });
  const side = { rows, calls, list, naive: openNaiveReader(connections) };
  for (let i = 0; i < WARM_UP_CALLS; i += 1) await list({ action: ACTIONS[i % 2], offset: i });
  return side;
}

/** Ratio of the medians of what a call takes. */
async function comparePage({ small, large, action, page, pairs }) {
  const round = (side) => async () => {
    const latencies = [];
    for (let i = 0; i < side.calls; i += 1) {
      const offset = offsetOf({ rows: side.rows, action, page, i });
      const startedAtMs = performance.now();
      await side.list({ action, offset });
      latencies.push((performance.now() - startedAtMs) * 1_000);
    }
    return median(latencies);
  };
  const measured = await inPairs({ pairs, limit: round(small), product: round(large) });
  const name = `${page} page${action ? ` of one action` : ''} against the same of ${small.rows} records`;
  return figure(name, measured, { unit: 'µs', aim: AIM });
}

function offsetOf({ rows, action, page, i = 0 }) {
  const total = totalOf(rows, action);
  if (page === 'first') return 0;
  if (page === 'last') return total - LIMIT;
  return Math.floor(total / 2) + ((STRIDE * i) % LIMIT) - LIMIT;
}

/** Ids and totals of pages everywhere, one that is cut short and two beyond the end among them. */
async function checkPages({ checks, sides }) {
  for (const { rows, list } of sides) {
    for (const action of ACTIONS) {
      const total = totalOf(rows, action);
      const offsets = Array.from({ length: 40 }, (_, i) => Math.floor((i * total) / 40) + i);
      for (const offset of [0, ...offsets, total - LIMIT, total - 1, total, 2 ** 31 - 1]) {
        const page = await list({ action, offset });
        const found = page.transactions.map(({ id }) => id).join();
        checks.equal('every page is exact', found, pageOf({ rows, action, limit: LIMIT, offset }).join());
        checks.equal('every total is exact', page.total, BigInt(total));
      }
    }
    const none = await list({ action: 'nonsense', offset: 0 });
    checks.equal('an action that there is not has no records', none.transactions.length + Number(none.total), 0);
  }
}

/** count(*) and OFFSET in the middle, sampled, over a connection without gRPC. */
async function compareNaive({ small, large, checks }) {
  const sample = async (side) => {
    const latencies = [];
    for (let i = 0; i < NAIVE_CALLS; i += 1) {
      const offset = offsetOf({ rows: side.rows, action: '', page: 'middle', i });
      const startedAtMs = performance.now();
      const { ids } = await side.naive({ action: '', limit: LIMIT, offset });
      latencies.push((performance.now() - startedAtMs) * 1_000);
      const page = await side.list({ action: '', offset });
      checks.equal('count and OFFSET find the same', page.transactions.map(({ id }) => id).join(), ids.join());
    }
    return median(latencies);
  };
  const [limit, product] = [await sample(small), await sample(large)];
  const measured = { limit, product, ratio: product / limit };
  return figure('for comparison: count(*) and OFFSET in the middle', measured, { unit: 'µs' });
}
