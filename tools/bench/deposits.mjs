// Benchmark: how often balances are polled for deposits, by the number of wallets and of calls in flight.
import { createRolesIn, startEmbeddedPostgres } from '@agent-wallet/embedded';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { openSolanaChain } from '@agent-wallet/solana';
import { walletMigrations } from '@agent-wallet/wallet';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
// Not part of the service's public face: the poll itself.
import { PostgresWatchedAccountStore } from '../../apps/wallet/dist/adapters/postgres-watched-account-store.js';
import { pollBalances } from '../../apps/wallet/dist/application/deposits/poll-balances.js';
import { DEPOSIT_TIMING } from '../../apps/wallet/dist/domain/deposits/timing.js';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';

/** The time in which a node answers. */
const NODE_MS = 100;
const WALLETS = [1_000, 10_000, 100_000];
const QUICK_WALLETS = [1_000, 10_000];
const CALLS_IN_FLIGHT = [2, 8, 32, 64];
/** A wallet, and its accounts for USDC and USDT. */
const ACCOUNTS_OF_WALLET = 3;
const ACCOUNTS_OF_BATCH = 100;
const MEASURED_MS = 12_000;

/** Makes an address in SQL: 43 digits of base 58 after an `A` are 32 bytes. */
const address = (kind, n) => `'A${kind}' || lpad(translate(${n}::text, '0', 'z'), 41, 'B')`;

const ADD_WALLETS = `
  insert into wallets (agent_id, address)
  select gen_random_uuid(), ${address('1', 'n')} from generate_series($1::bigint, $2::bigint) n`;
const ADD_ACCOUNTS = `
  insert into watched_accounts (address, agent_id, wallet)
  select overlay(w.address placing k::text from 2 for 1), w.agent_id, w.address
  from wallets w, generate_series(2, ${ACCOUNTS_OF_WALLET}) k
  on conflict (address) do nothing`;

export async function measure({ isQuick }) {
  const database = await openTables();
  const node = await startNode();
  const checks = new Checks();
  const lines = [];
  let filled = 0;
  for (const wallets of isQuick ? QUICK_WALLETS : WALLETS) {
    await fill(database.pool, filled + 1, wallets);
    filled = wallets;
    const line = [`${wallets.toLocaleString('en')} wallets`];
    for (const callsInFlight of CALLS_IN_FLIGHT) {
      const { everyMs, callsASecond } = await cadenceOf(database.pool, node, callsInFlight);
      line.push(`${(everyMs / 1_000).toFixed(1)} s (${callsASecond.toFixed(0)}/s)`);
      checks.equal('each poll asks for a hundred accounts', node.mostAccounts, ACCOUNTS_OF_BATCH);
    }
    lines.push(line);
  }
  return {
    notes: `one replica, a node that answers in ${NODE_MS} ms, ${ACCOUNTS_OF_WALLET} accounts a wallet`,
    figures: [],
    tables: [
      {
        title: 'time between two polls of a balance, and calls of the node a second',
        rows: [['', ...CALLS_IN_FLIGHT.map((calls) => `${calls} calls in flight`)], ...lines],
      },
    ],
    checks: checks.all,
  };
}

/** Polls for a while, one round after the other as the service does, and returns how often a balance is polled then. */
async function cadenceOf(pool, node, callsInFlight) {
  const chain = openSolanaChain({ rpcUrl: node.url, maxConnections: callsInFlight, batchesInFlight: callsInFlight });
  const options = {
    chain,
    callsInFlight,
    watched: new PostgresWatchedAccountStore(pool, DEPOSIT_TIMING),
    timing: DEPOSIT_TIMING,
    logger: createLogger('bench', 'silent'),
    checkpoint: async () => {},
    witness: { saw: () => {} },
    onReadsDue: () => {},
  };
  await pool.query('update poll_batches set due_at = clock_timestamp()');
  const { rows } = await pool.query('select count(*)::int as batches from poll_batches');
  const [began, before] = [performance.now(), node.calls()];
  while (performance.now() - began < MEASURED_MS) {
    const isMoreDue = await pollBalances(options);
    if (!isMoreDue) await new Promise((resolve) => setTimeout(resolve, DEPOSIT_TIMING.searchMs));
  }
  const callsASecond = ((node.calls() - before) * 1_000) / (performance.now() - began);
  chain.close();
  return { callsASecond, everyMs: Math.max((rows[0].batches * 1_000) / callsASecond, DEPOSIT_TIMING.pollIntervalMs) };
}

async function fill(pool, from, to) {
  await pool.query(ADD_WALLETS, [from, to]);
  await pool.query(ADD_ACCOUNTS);
  await pool.query('update watched_accounts set balance = 0, read_due_at = null, sweep_due_at = null');
  await pool.query('analyze');
}

/** Serves accounts that are all empty, as late as a node far away. */
async function startNode() {
  let calls = 0;
  const node = { mostAccounts: 0, calls: () => calls };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body);
      const addresses = method === 'getMultipleAccounts' ? params[0] : [];
      calls += 1;
      node.mostAccounts = Math.max(node.mostAccounts, addresses.length);
      const result = { context: { slot: 1 }, value: addresses.map(() => null) };
      setTimeout(() => response.end(JSON.stringify({ jsonrpc: '2.0', id, result })), NODE_MS);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing(server, () => server.close());
  return Object.assign(node, { url: `http://127.0.0.1:${server.address().port}` });
}

/** The wallet service's schema in a database of its own. */
async function openTables() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-deposits-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: path.join(directory, 'postgres'), durability: 'relaxed' });
  closing(server, () => server.stop());
  const { schema, directory: files } = walletMigrations;
  const roles = { services: [schema], ownedApart: [], prefix: '', passwordsDir: directory };
  const connections = await createRolesIn(server, roles);
  const logger = createLogger('bench', 'silent');
  const open = { connection: connections[schema], schema, logger, maxConnections: 8, responseTimeoutMs: 600_000 };
  const database = openDatabase(open);
  closing(database, () => database.close());
  await migrate(database, files);
  return database;
}
