#!/usr/bin/env node
// Runs what takes too long, or is too random, for the gate: `npm run nightly -- --help`.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';
import { ensureInstalled } from './running/install.mjs';
import { isGood, reportOf, runSuites } from './running/suites.mjs';

const HELP = `Usage: npm run nightly [-- --seed N] [-- --only WORD]

Runs every test of the gate and of the nightly lane (*.nightly.spec.*) with random seeds, and property tests with ten times as
many runs; then the fuzzer, the official MCP clients, the Python SDK with the time of its import, and the demo. It takes one to
two hours. Run it by a scheduler once a day, and before a release.

  --seed N      repeats a run; each run prints its seed
  --only WORD   only suites whose name contains WORD: jest, demo, fuzzer, python, mcp
  --help        this text`;

/** How many times more runs a property test makes than in the gate. */
const PROPERTY_RUNS_FACTOR = 10;

const MINUTE_MS = 60_000;

/** @returns {import('./running/suites.mjs').Suite[]} */
async function suitesOf(seed) {
  const { PYTHON, runJest, runTool } = await import('./running/test-suites.mjs');
  const env = { NIGHTLY: '1', TEST_SEED: String(seed), PROPERTY_RUNS_FACTOR: String(PROPERTY_RUNS_FACTOR) };
  return [
    {
      name: 'jest: every lane, with random seeds',
      run: () => runJest({ env, limitMs: 180 * MINUTE_MS }),
    },
    { name: 'demo: one agent’s day', run: () => runTool(['tools/start.mjs', 'standalone/demo']) },
    {
      name: 'fuzzer: every route by its OpenAPI document',
      needs: PYTHON,
      run: () =>
        runTool(['tools/fuzz/main.mjs', '--cases', '5000', '--seed', String(seed)], { limitMs: 60 * MINUTE_MS }),
    },
    {
      name: 'python: the SDK’s types, tests and import time',
      needs: PYTHON,
      run: () => runTool(['tools/python-sdk/main.mjs', '--import-time']),
    },
    {
      name: 'mcp: the walk-through by official MCP clients',
      needs: PYTHON,
      run: () => runTool(['tools/mcp-clients/main.mjs']),
    },
  ];
}

const { values } = parseArgs({
  options: { seed: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (!Number.isInteger(seed) || seed < 0) {
  console.error(`--seed must be a whole number: ${values.seed}\n\n${HELP}`);
  process.exit(2);
}
console.log(`Nightly run with seed ${seed}. Repeat it by: npm run nightly -- --seed ${seed}`);
await ensureInstalled();
const { build } = await import('./build.mjs');
await build();
await bundle();
const suites = (await suitesOf(seed)).filter(({ name }) => name.includes(values.only ?? ''));
const startedAtMs = Date.now();
const results = await runSuites(suites);
console.log(`\n${reportOf(results)}`);
console.log(`Seed ${seed}, ${Math.round((Date.now() - startedAtMs) / MINUTE_MS)} minutes.`);
process.exit(isGood(results, { every: false }) ? 0 : 1);
