#!/usr/bin/env node
// Whether the Python SDK is whole: `npm run python-sdk -- --help`.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from '../running/install.mjs';
import { run } from '../running/process.mjs';
import { prepareSdk, SDK } from './prepare.mjs';

const STARTS = 5;
const LONGEST_IMPORT_MS = 200;

const HELP = `Usage: npm run python-sdk [-- --write | --import-time]

Generates the sources of the Python SDK (clients/python) from the gateway's document. Then runs ruff, pyright and its tests.
Needs Python 3.11 or newer; installs its packages by itself, pinned.

  --import-time   also measures what \`import agent_wallet\` adds to the start of Python, and fails above ${LONGEST_IMPORT_MS} ms
  --write         only generates the sources, as its package needs them
  --help          this text`;

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
  const programs = await prepareSdk();
  if (values.write) return 0;
  const measures = values['import-time'] ?? false;
  return (await check(programs)) && (!measures || (await isQuick(programs))) ? 0 : 1;
}

process.exitCode = await main().catch((error) => {
  console.error(error.message);
  return 1;
});
process.exit();
