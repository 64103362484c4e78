#!/usr/bin/env node
// Whether a Python client that is generated from /openapi.json is well typed: `npm run python-client -- --help`.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll, closing } from '../measuring/closing.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { installPackages } from '../python/packages.mjs';
import { run } from '../running/process.mjs';

const HELP = `Usage: npm run python-client [-- --into FOLDER]

Starts the wallet, generates a Python client from its /openapi.json (openapi-python-client; Python 3.11 or newer; installed
by itself, pinned), and checks it with mypy --strict, together with a program that must handle every outcome of a transfer.
Then another one reads codes, rules, states and actions that the client does not know.

  --into FOLDER   keeps the client there
  --help          this text`;

const REQUIREMENTS = path.join(import.meta.dirname, 'requirements.txt');
const MYPY = path.join(import.meta.dirname, 'mypy.ini');
const CONSUMER = path.join(import.meta.dirname, 'consumer.py');
const TOMORROW = path.join(import.meta.dirname, 'tomorrow.py');
const CONFIG = [
  'project_name_override: agent_wallet',
  'package_name_override: agent_wallet',
  'literal_enums: true',
].join('\n');

/** The document as a started wallet serves it. */
async function fetchDocument() {
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const { Deployment } = await import('@agent-wallet/standalone/testing');
  const deployment = await Deployment.start({ slotMs: 0 });
  try {
    return await (await fetch(`${deployment.url()}/openapi.json`)).text();
  } finally {
    await deployment.stop();
  }
}

/** @returns whether the client was generated without a warning and is well typed */
async function check(folder) {
  await mkdir(folder, { recursive: true });
  const programs = await installPackages('python-client', REQUIREMENTS);
  const [document, config] = [path.join(folder, 'openapi.json'), path.join(folder, 'config.yaml')];
  await writeFile(document, await fetchDocument());
  await writeFile(config, CONFIG);
  // The generator formats what it wrote with ruff, which it finds on the PATH.
  const env = { PATH: `${programs}${path.delimiter}${process.env.PATH}` };
  const generate = [path.join(programs, 'openapi-python-client'), 'generate', '--path', document, '--config', config];
  const generated = await run([...generate, '--meta', 'none', '--overwrite', '--fail-on-warning'], {
    cwd: folder,
    env,
  });
  if (generated.code !== 0) return false;
  await copyFile(CONSUMER, path.join(folder, 'consumer.py'));
  const typed = [path.join(programs, 'mypy'), '--config-file', MYPY, 'agent_wallet', 'consumer.py'];
  if ((await run(typed, { cwd: folder, env })).code !== 0) return false;
  await copyFile(TOMORROW, path.join(folder, 'tomorrow.py'));
  return (await run([path.join(programs, 'python'), 'tomorrow.py'], { cwd: folder, env })).code === 0;
}

async function main() {
  const { values } = parseArgs({ options: { into: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  await ensureInstalled();
  const folder = values.into
    ? path.resolve(values.into)
    : closing(await mkdtemp(path.join(os.tmpdir(), 'python-client-')), (each) => rm(each, { recursive: true }));
  return (await check(folder)) ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void closeAll().then(() => process.exit(130)));
process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
await closeAll();
process.exit();
