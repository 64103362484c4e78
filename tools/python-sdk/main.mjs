#!/usr/bin/env node
// Whether the Python SDK is whole: `npm run python-sdk -- --help`.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll, closing } from '../measuring/closing.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { root, run } from '../running/process.mjs';
import { installSdk, SDK } from './packages.mjs';

const STARTS = 5;
const LONGEST_IMPORT_MS = 200;

const HELP = `Usage: npm run python-sdk [-- --write | --import-time]

Generates the sources of the Python SDK (clients/python) from the gateway's document and fails when those in the repository
differ. Then runs ruff, pyright and its tests.
Needs Python 3.11 or newer; installs its packages by itself, pinned.

  --import-time   also measures what \`import agent_wallet\` adds to the start of Python, and fails above ${LONGEST_IMPORT_MS} ms
  --write         writes the generated sources into the repository instead
  --help          this text`;

const GENERATORS = ['generate_types.py', 'generate_async.py'];
const TOOLS = path.join('src', 'agent_wallet', '_generated_tools.json');

/** The document that the gateway serves to agents. */
async function documentText() {
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const { ROUTES, agentRoutes, openApiDocument } = await import('@agent-wallet/gateway/documents');
  return JSON.stringify(
    openApiDocument(agentRoutes(ROUTES), { publicUrl: 'http://localhost:8080', network: 'sandbox' }),
  );
}

/** Writes the generated sources in the repository, or in a copy of the SDK. */
async function generate(programs, folder, document) {
  const file = path.join(closing(await mkdtemp(path.join(os.tmpdir(), 'python-sdk-')), remove), 'openapi.json');
  await writeFile(file, document);
  for (const generator of GENERATORS) {
    const { code } = await run([path.join(programs, 'python'), generator, file], { cwd: folder });
    if (code !== 0) throw new Error(`${generator} failed.`);
  }
  const { modelTools } = await import('@agent-wallet/gateway/documents');
  await writeFile(path.join(folder, TOOLS), JSON.stringify(modelTools(JSON.parse(document)), null, 1) + '\n');
}

/** @returns the generated sources that differ from those in the repository */
async function outdated(programs, document) {
  const copy = closing(await mkdtemp(path.join(os.tmpdir(), 'python-sdk-')), remove);
  const isSource = (file) => !/[/\\](\.venv|__pycache__|\.\w+_cache)$/.test(file);
  await cp(SDK, copy, { recursive: true, filter: isSource });
  await generate(programs, copy, document);
  const { code, output } = await run(['git', 'ls-files', 'src'], { cwd: SDK, capture: true });
  if (code !== 0) throw new Error(output);
  const files = output.trim().split('\n');
  const texts = (folder) => Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  const [kept, made] = await Promise.all([texts(SDK), texts(copy)]);
  return files.filter((_, index) => kept[index] !== made[index]);
}

/** @returns whether all checks pass */
async function check(programs) {
  const commands = [
    ['ruff', 'check', '--no-cache'],
    ['ruff', 'format', '--check', '--no-cache'],
    ['pyright', '--pythonpath', path.join(programs, 'python')],
    ['pytest', '-q', '-p', 'no:cacheprovider'],
  ];
  for (const [program, ...args] of commands) {
    console.log(`\n${[program, ...args.filter((arg) => !path.isAbsolute(arg))].join(' ')}`);
    const { code } = await run([path.join(programs, program), ...args], { cwd: SDK });
    if (code !== 0) return false;
  }
  return true;
}

/** Measures the median of the time that a program of Python takes. */
async function startMs(programs, program) {
  const times = [];
  for (let n = 0; n < STARTS; n += 1) {
    const startedAtMs = performance.now();
    const { code, output } = await run([path.join(programs, 'python'), '-c', program], {
      capture: true,
      env: { PYTHONPATH: path.join(SDK, 'src') },
    });
    if (code !== 0) throw new Error(output);
    times.push(performance.now() - startedAtMs);
  }
  return times.sort((a, b) => a - b)[STARTS >> 1];
}

/** @returns whether the import is quick enough */
async function isQuick(programs) {
  const bareMs = await startMs(programs, '');
  const addedMs = Math.round((await startMs(programs, 'import agent_wallet')) - bareMs);
  const words = `\`import agent_wallet\` adds ${addedMs} ms to the ${Math.round(bareMs)} ms of bare Python (medians of ${STARTS})`;
  console.log(`\n${words}${addedMs > LONGEST_IMPORT_MS ? `: more than ${LONGEST_IMPORT_MS} ms` : ''}.`);
  return addedMs <= LONGEST_IMPORT_MS;
}

async function main() {
  const { values } = parseArgs({
    options: { write: { type: 'boolean' }, 'import-time': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  await ensureInstalled();
  const [programs, document] = [await installSdk(), await documentText()];
  if (values.write) {
    await generate(programs, SDK, document);
    return 0;
  }
  const old = await outdated(programs, document);
  for (const file of old)
    console.error(`${path.relative(root, path.join(SDK, file))} is not what its generator writes.`);
  if (old.length > 0) throw new Error('Run `npm run python-sdk -- --write`.');
  const measures = values['import-time'] ?? false;
  return (await check(programs)) && (!measures || (await isQuick(programs))) ? 0 : 1;
}

function remove(folder) {
  return rm(folder, { recursive: true });
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void closeAll().then(() => process.exit(130)));
process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
await closeAll();
process.exit();
