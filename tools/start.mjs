#!/usr/bin/env node
// Installs and builds what is missing, then becomes one of the apps: `node tools/start.mjs [app/entry]`.
// On a Node that is too old this file must still parse, so that it can say so: everything else is imported later.
import process from 'node:process';

const OLDEST_NODE = [20, 19];

const HELP = `Usage: npm start

Starts the whole wallet on this machine: the sandbox (chain, mail, prices), an embedded Postgres and all services.
Prints its address, the address of the sandbox's inbox, and a walk-through to paste. Ctrl-C stops it; what it holds
stays in DATA_DIR.

Settings (environment):
  PORT       port of the REST API (default 3000)
  DATA_DIR   where the database, the sandbox and the certificates live (default .data)

More settings: docs/architecture.md. Other commands: npm test, npm run demo, npm run sandbox, npm run check.`;

async function main([target = 'standalone/main', ...options]) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
    throw new Error(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`);
  }
  if ([target, ...options].some((option) => option === '--help' || option === '-h')) {
    console.log(HELP);
    return;
  }
  const { ensureInstalled } = await import('./install.mjs');
  const { root, run } = await import('./process.mjs');
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const [app, entry] = target.split('/');
  process.chdir(root);
  process.setSourceMapsEnabled(true);
  // In this process: signals and exit codes are the app's own, and no child outlives us.
  await import(`../apps/${app}/dist/${entry}.js`);
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
