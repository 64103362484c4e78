#!/usr/bin/env node
// A long day of load and trouble, and whether the books agree at its end: `npm run soak -- --help`.
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { closeAll } from '../bench/measure/closing.mjs';
import { ensureInstalled } from '../install.mjs';
import { root, run } from '../process.mjs';
import { reportOf } from './report.mjs';

const HELP = `Usage: npm run soak -- [options]

Runs every service twice as processes of their own, has agents send, receive, read and change their policies, and kills
processes and arms faults of the chain at random. At the end chain, operations, reservations and history must agree to
the base unit; exits with 1 when they do not.

  --minutes N   how long (default 20)
  --agents N    how many agents act at once (default 12)
  --seed N      repeats the choices of a run (printed by each; the machine's timing stays its own)
  --write       writes the result to docs/soak.md
  --help        this text`;

async function main() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '20' },
      agents: { type: 'string', default: '12' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  await ensureInstalled();
  const { code } = await run([process.execPath, 'tools/build.mjs']);
  if (code !== 0) throw new Error('The build failed.');
  const options = { minutes: Number(values.minutes), agents: Number(values.agents), seed: Number(values.seed) };
  console.log(`soaking for ${options.minutes} minutes with seed ${options.seed}`);
  // It loads what was just built.
  const { soak } = await import('./soak.mjs');
  const result = await soak(options);
  const report = reportOf({ ...options, ...result });
  console.log(`\n${report}`);
  if (values.write) await writeFile(path.join(root, 'docs', 'soak.md'), report);
  return result.checks.all.every(({ ok }) => ok) ? 0 : 1;
}

/** What was started ends with us, whatever ends us. */
async function leave(code) {
  await closeAll();
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void leave(130));
await leave(
  await main().catch((error) => {
    console.error(error);
    return 1;
  }),
);
