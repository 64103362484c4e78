#!/usr/bin/env node
// A fuzzer that is driven by /openapi.json, over every route: `npm run fuzz -- --help`.
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll, closing } from '../measuring/closing.mjs';
import { ensureInstalled } from '../running/install.mjs';
import { NO_LIMITS } from '../measuring/no-limits.mjs';
import { run } from '../running/process.mjs';
import { installPackages } from '../python/packages.mjs';
import { casesOf } from './cases.mjs';
import { ROUNDS } from './rounds.mjs';

const HELP = `Usage: npm run fuzz -- [options]

Starts the whole wallet as processes of their own, and has Schemathesis (Python 3.11 or newer; installed by itself, pinned)
send what /openapi.json and /owner/openapi.json allow and what it does not to every route, with a token and without. Fails on any 5xx, any
status or shape that is not documented, and any other finding.

  --cases N   about how many requests to send (default 20000)
  --seed N    repeats a run (printed by each)
  --parts P   the parts that the deployment has, such as transfers (default all)
  --help      this text`;

/** About what one turn of all rounds sends. A run that wants less makes up less. */
const FULL_TURN = 2_000;

const CONFIG = path.join(import.meta.dirname, 'schemathesis.toml');
const REQUIREMENTS = path.join(import.meta.dirname, 'requirements.txt');

/** Runs all rounds against one deployment. @returns how many requests were sent, and whether nothing was found */
async function fuzz({ cases, seed, parts }) {
  await ensureInstalled();
  const program = path.join(await installPackages('fuzz', REQUIREMENTS), 'schemathesis');
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const { Deployment } = await import('@agent-wallet/standalone/testing');
  const deployment = closing(await Deployment.start({ slotMs: 0, environment: NO_LIMITS, ...parts }), (each) =>
    each.stop(),
  );
  const directory = closing(await mkdtemp(path.join(os.tmpdir(), 'fuzz-')), (each) => rm(each, { recursive: true }));
  let [sent, isClean] = [0, true];
  // What a round sends varies: as many as it takes.
  for (let turn = 0; sent < cases; turn += 1) {
    const before = sent;
    for (const round of ROUNDS) {
      const found = await play(round, {
        program,
        deployment,
        directory,
        seed: seed + turn,
        share: Math.min(1, cases / FULL_TURN),
      });
      sent += found.sent;
      isClean &&= found.isClean;
    }
    if (sent === before) throw new Error('The fuzzer sent nothing.');
  }
  return { sent, isClean };
}

async function play(round, { program, deployment, directory, seed, share }) {
  console.log(`\n-- ${round.name}`);
  const report = path.join(directory, `${round.name}.ndjson`);
  const command = [
    ...[program, '--config-file', CONFIG, 'run', `${deployment.url()}${round.document ?? '/openapi.json'}`],
    ...(await round.options(deployment)),
    ...['--max-examples', String(Math.ceil(round.examples * share)), '--seed', String(seed), '--continue-on-failure'],
    ...['--generation-database', 'none', '--workers', '1', '--no-color'],
    ...['--report', 'ndjson', '--report-ndjson-path', report],
  ];
  // There, because it leaves a folder behind.
  const { code } = await run(command, { cwd: directory });
  return { sent: casesOf(await readFile(report, 'utf8')), isClean: code === 0 };
}

async function main() {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '20000' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      parts: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const [cases, seed] = [Number(values.cases), Number(values.seed)];
  const parts = values.parts === undefined ? {} : { parts: values.parts.split(',') };
  const { sent, isClean } = await fuzz({ cases, seed, parts });
  console.log(`\n${sent} requests were sent; ${isClean ? 'nothing was found' : 'FINDINGS above'}. Seed ${seed}.`);
  return isClean && sent > 0 ? 0 : 1;
}

/** Everything that was started ends with this process, however it ends. */
async function leave(code) {
  await closeAll();
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void leave(130));
await leave(
  await main().catch((error) => {
    console.error(error.message);
    return 1;
  }),
);
