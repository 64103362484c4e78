#!/usr/bin/env node
// Installs and builds what is missing, then becomes one of the apps: `node tools/start.mjs [app/entry]`.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { STANDALONE } from './bundle.mjs';
import { alone } from './running/alone.mjs';
import { ensureInstalled } from './running/install.mjs';
import { root, run } from './running/process.mjs';

const HELP = `Usage: npm start

Starts the whole wallet on this machine: the sandbox (chain, mail, prices), an embedded Postgres and all services.
Prints its address, the address of the sandbox's inbox, and a walk-through to paste. Ctrl-C stops it; what it holds
stays in DATA_DIR.

Settings (environment):
  PORT       port of the REST API (default 8080)
  CONSOLE_PORT  port of the owners' console (default 8081)
  DATA_DIR   where the database, the sandbox and the certificates live (default .data)

More settings: README.md. Other commands: npm test, npm run demo, npm run sandbox, npm run check.`;

const PROCESSES_HELP = `Usage: npm run processes

Starts every service as a process of its own over a Postgres that is given, and starts again what dies. Prints where each
answers. Ctrl-C stops all of them, from the edge inwards. Schemas, roles and tables are made at the first start, and kept.

Settings (environment):
  DATABASE_URL   postgres://user:password@host:port/database (required). The user is a superuser, or owns the database
                 and may create roles; services get roles of their own, called <database>_<service>
  KAFKA_BROKERS  host:port,… of the event stream; Postgres carries it when this is not set. Topics are made by
                 npm run kafka -- topics. KAFKA_TLS, KAFKA_SASL_USERNAME … are passed on
  PORT           port of the REST API (default 8080)
  DATA_DIR       where certificates, secrets, the roles' passwords and the sandbox lie (default .data)
  METRICS_ADDRESS  host:port of this process's metrics; the services have the ports after it
  SOLANA_RPC_URL, JUPITER_BASE_URL, KALSHI_…, SMTP_URL
                 the real world; a sandbox runs as one more process when they are not set
  SOLANA_NETWORK mainnet-beta, devnet, testnet or localnet: the network of the real world

More settings: README.md.`;

/** What answers --help by itself. */
const HELPS_ITSELF = /^(ops\/|history\/rebuild$)/;

const HELPS = { 'standalone/processes': PROCESSES_HELP };

async function start([target = 'standalone/main', ...options]) {
  const asksForHelp = [target, ...options].some((option) => option === '--help' || option === '-h');
  if (asksForHelp && !HELPS_ITSELF.test(target)) {
    console.log(HELPS[target] ?? HELP);
    return;
  }
  const isBundled = target === 'standalone/main';
  await alone(async () => {
    await ensureInstalled();
    await prepare('tools/build.mjs');
    // Every build that made anything removes it.
    if (isBundled && !existsSync(path.join(root, STANDALONE))) await prepare('tools/bundle.mjs', 'standalone');
  });
  process.chdir(root);
  process.setSourceMapsEnabled(true);
  const [app, entry] = target.split('/');
  process.argv.splice(2, 1); // what is left is the app's own
  // In this process: signals and exit codes are the app's own, and no child outlives us.
  await import(isBundled ? `../${STANDALONE}` : `../apps/${app}/dist/${entry}.js`);
}

/** As a process of its own: none of its memory stays. */
async function prepare(...command) {
  const { code } = await run([process.execPath, ...command]);
  if (code !== 0) throw new Error('The build failed.');
}

await start(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
