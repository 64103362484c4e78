// Benchmark: what loops and locks read in tables of millions of rows, against the statements that read whole tables.
import { createRolesIn, startEmbeddedPostgres } from '@agent-wallet/embedded';
import { gatewayMigrations } from '@agent-wallet/gateway';
import { createLogger, migrate, openDatabase } from '@agent-wallet/platform';
import { policyMigrations } from '@agent-wallet/policy';
import { predictionMigrations } from '@agent-wallet/prediction';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
// Not part of the services' public faces: the statements themselves.
import { purgeExpired } from '../../apps/gateway/dist/adapters/housekeeping.js';
import { END } from '../../apps/policy/dist/adapters/recovery-statements.js';
import { readPicture } from '../../apps/prediction/dist/adapters/ledger/ledger-snapshot.js';
import { Checks } from '../measuring/checks.mjs';
import { closing } from '../measuring/closing.mjs';
import { costOf } from './measure/statements.mjs';
import * as before from './sizes/before.mjs';
import { fillTables, TOKENS } from './sizes/fill.mjs';

const ROWS = 1_000_000;
const QUICK_ROWS = 50_000;
const LONG_MS = 3_600_000;
/** Pages that statements in force may read at any size. */
const MOST_PAGES = 200;

const TOKEN_USED = `
  select u.* from policy.tokens t, policy.token_used(t, policy.window_start(policy.now()), null) u where t.id = $1`;

export async function measure({ rows: wanted, isQuick }) {
  const rows = wanted ?? (isQuick ? QUICK_ROWS : ROWS);
  const client = await openTables();
  await fillTables((text, values) => client.query(text, values), rows, console.log);
  const checks = new Checks();
  const lines = [];
  for (const { name, schema, were, are } of comparisons()) {
    await client.query(`set search_path = ${schema}`);
    const [old, now] = [await costOf(client, were.work, were.prepare), await costOf(client, are.work)];
    lines.push([name, old.ms, now.ms, old.pages, now.pages]);
    checks.equal('no statement reads more than a few pages', now.pages <= MOST_PAGES || `${name}: ${now.pages}`, true);
  }
  const heads = ['', 'ms before', 'ms now', 'pages before', 'pages now'];
  return {
    notes: `${rows} reservations, ledger accounts and prepared requests each; medians of three runs`,
    figures: [],
    tables: [{ title: 'statements of loops and locks', rows: [heads, ...lines] }],
    checks: checks.all,
  };
}

function comparisons() {
  const purge = (on) => purgeExpired({ pool: on }, { nowMs: () => Date.now() });
  return [
    {
      name: 'the end of a recovery',
      schema: 'policy',
      were: { work: (on) => on.query(before.END_OF_RECOVERY, [1]) },
      are: { work: (on) => on.query(END, [1]) },
    },
    ...TOKENS.map(({ id, operations }) => ({
      name: `a decision of a token after ${operations} operations`,
      schema: 'policy',
      were: { work: (on) => inTurn(before.TOKEN_SPENT, (text) => on.query(text, [id])) },
      are: { work: (on) => on.query(TOKEN_USED, [id]) },
    })),
    {
      name: 'a snapshot of the ledger',
      schema: 'prediction',
      were: {
        prepare: ['drop index accounts_outstanding'],
        work: (on) => inTurn(before.LEDGER_SNAPSHOT, (text) => on.query(text)),
      },
      // The isolation level is that of a transaction which has read nothing.
      are: { work: (on) => readPicture({ query: (s) => (typeof s === 'string' ? { rows: [] } : on.query(s)) }) },
    },
    {
      name: 'a round of the purge',
      schema: 'gateway',
      were: { prepare: ['drop index prepared_requests_unused', 'drop index login_blocks_by_end'], work: purge },
      are: { work: purge },
    },
  ];
}

async function inTurn(all, work) {
  for (const each of all) await work(each);
}

/** The schemas in one database, and a connection of the superuser. */
async function openTables() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'bench-size-'));
  closing(directory, () => rm(directory, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir: path.join(directory, 'postgres'), durability: 'relaxed' });
  closing(server, () => server.stop());
  const logger = createLogger('bench', 'silent');
  const all = [policyMigrations, predictionMigrations, gatewayMigrations];
  const services = all.map(({ schema }) => schema);
  const connections = await createRolesIn(server, { services, ownedApart: [], prefix: '', passwordsDir: directory });
  for (const { schema, directory: files } of all) {
    const database = openDatabase({ connection: connections[schema], schema, logger, maxConnections: 1 });
    await migrate(database, files).finally(() => database.close());
  }
  const opened = openDatabase({
    connection: server,
    schema: 'public',
    logger,
    maxConnections: 1,
    responseTimeoutMs: LONG_MS,
  });
  closing(opened, () => opened.close());
  const client = await opened.pool.connect();
  closing(client, () => client.release());
  return client;
}
