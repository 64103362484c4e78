// Benchmark: pages of an agent's history in a table of millions of records, against a small one.
import { historyV1 } from '@agent-wallet/contracts';
import { createCertificates } from '@agent-wallet/embedded';
import { startHistory } from '@agent-wallet/history';
import { createLogger, loadTls, openRpcClient } from '@agent-wallet/platform';
import path from 'node:path';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';
import { openRound, openServer } from '../pipeline/databases.mjs';
import { figure, inPairs, median } from './measure/pairs.mjs';
import { BUSY_AGENT, fillHistory, FILTER, pageOf, totalOf } from './records.mjs';

const SMALL = 10_000;
const LARGE = 10_000_000;
const QUICK_LARGE = 200_000;
const LIMIT = 50;
const CALLS = 300;
const QUICK_CALLS = 60;
const WARM_UP_CALLS = 200;
/** Pages in the middle are this far apart, so that many of the places between two marks are met. */
const STRIDE = 7;
const AIM = { atMost: 1.5 };

const PAGES = ['first', 'middle', 'last'];
const ACTIONS = ['', FILTER];

/** The busy agent has a tenth of the records of either. */
export async function measure({ pairs, isQuick }) {
  const server = await openServer();
  const certificates = await createCertificates(path.join(server.directory, 'certificates'), ['gateway', 'history']);
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
  return {
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
  for (let i = 0; i < WARM_UP_CALLS; i += 1) await list({ action: ACTIONS[i % 2], offset: i });
  return { rows, calls, list };
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

/** History over a database, and the gateway's way to it. There is no signer: checkpoints wait for one. */
async function openHistory({ connections, certificates }) {
  const settings = {
    grpcAddress: '127.0.0.1:0',
    database: connections.history,
    tls: certificates.history,
    logLevel: 'silent',
    stream: { kind: 'postgres' },
    checkpoints: { signerAddress: '127.0.0.1:1', intervalMs: 3_600_000 },
  };
  const service = await startHistory(settings, { logger: createLogger('bench', 'silent') });
  closing(service, () => service.stop());
  const client = openRpcClient({
    definition: historyV1.HistoryServiceService,
    peer: { address: service.address, service: 'history' },
    tls: await loadTls(certificates.gateway),
  });
  return closing(client, () => client.close());
}
