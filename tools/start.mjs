#!/usr/bin/env node
// Installs and builds what is missing, then becomes one of the apps: `node tools/start.mjs [app/entry]`.
import { ensureInstalled } from './install.mjs';
import { root, run } from './process.mjs';

const HELP = `Usage: npm start

Starts the whole wallet on this machine: the sandbox (chain, mail, prices), an embedded Postgres and all services.
Prints its address, the address of the sandbox's inbox, and a walk-through to paste. Ctrl-C stops it; what it holds
stays in DATA_DIR.

Settings (environment):
  PORT       port of the REST API (default 8080)
  DATA_DIR   where the database, the sandbox and the certificates live (default .data)

More settings: README.md. Other commands: npm test, npm run demo, npm run sandbox, npm run check.`;

async function start([target = 'standalone/main', ...options]) {
  const asksForHelp = [target, ...options].some((option) => option === '--help' || option === '-h');
  if (asksForHelp && !target.startsWith('ops/')) {
    console.log(HELP);
    return;
  }
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  process.chdir(root);
  process.setSourceMapsEnabled(true);
  const [app, entry] = target.split('/');
  process.argv.splice(2, 1); // what is left is the app's own
  // In this process: signals and exit codes are the app's own, and no child outlives us.
  await import(`../apps/${app}/dist/${entry}.js`);
}

await start(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
