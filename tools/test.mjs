#!/usr/bin/env node
// Installs what is missing, builds, and runs the tests. HELP says what it takes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundle } from './bundle.mjs';
import { ensureInstalled } from './running/install.mjs';
import { jest } from './jest.mjs';
import { root, run } from './running/process.mjs';
import { isGood, reportOf, runSuites, skippedIn } from './running/suites.mjs';

const MINUTE_MS = 60_000;

const HELP = `Usage: npm test                        every suite that this machine can run
       npm test -- wallet              the tests of one project, or of several: apps, libs, or tools
       npm test -- wallet deposits     its test files whose path matches
       npm test -- --every-suite       a suite that cannot run is a failure`;

const PYTHON = { 'Python 3.11 with venv': ['python3', '-c', 'import sys, venv; assert sys.version_info >= (3, 11)'] };

/**
 * Every suite. One that needs more than Node and npm packages says so: `needs: { 'Java 17': ['java', '-version'] }`.
 * @type {import('./running/suites.mjs').Suite[]}
 */
const SUITES = [
  { name: 'jest: libraries, services, and the whole through its public API', run: runJest },
  { name: 'demo: one agent’s day', run: () => runProgram([process.execPath, 'tools/start.mjs', 'standalone/demo']) },
  {
    name: 'fuzzer: every route by its OpenAPI document, in short',
    needs: PYTHON,
    run: () => runProgram([process.execPath, 'tools/fuzz/main.mjs', '--cases', '300']),
  },
  {
    name: 'Python SDK: its generated sources, types and tests',
    needs: PYTHON,
    run: () => runProgram([process.execPath, 'tools/python-sdk/main.mjs']),
  },
  {
    name: 'mcp clients: the walk-through by official MCP clients',
    needs: PYTHON,
    run: () => runProgram([process.execPath, 'tools/mcp-clients/main.mjs']),
  },
];

async function runJest() {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'jest-results-'));
  const file = path.join(directory, 'results.json');
  try {
    const { code } = await jest(['--json', `--outputFile=${file}`], { limitMs: 75 * MINUTE_MS });
    const results = JSON.parse(readFileSync(file, 'utf8'));
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    return {
      passed: results.numPassedTests,
      // Jest may also fail around its tests, for example while it stops the database.
      failed: code !== 0 && failed === 0 ? 1 : failed,
      skipped: results.numPendingTests + results.numTodoTests,
      reasons: skippedIn(results, root),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** With packages that may have been installed just now. */
async function buildAll() {
  const { build } = await import('./build.mjs');
  await build();
}

/** A program is one test: it passes when it exits with 0. */
async function runProgram(command) {
  const { code } = await run(command, { limitMs: 15 * MINUTE_MS });
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

/** Projects whose tests start deployments. */
const DEPLOYS = new Set(['standalone', 'tools']);

/** Whether a word names a project, which is what Jest calls it: the name of its folder. */
function isProject(word) {
  return (
    word === 'tools' || ['apps', 'libs'].some((kind) => existsSync(path.join(root, kind, word, 'jest.config.mjs')))
  );
}

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) {
  console.log(HELP);
  process.exit(0);
}
const projects = words.filter(isProject);
const unknown = projects.length > 0 ? undefined : words.find((word) => word !== '--every-suite');
if (unknown !== undefined) {
  console.error(`${unknown} is not a project of this workspace.\n\n${HELP}`);
  process.exit(2);
}
await ensureInstalled();
await buildAll();
// Deployments start in a quarter of the time, and what is tested is what an image holds. No other suite runs a bundle.
if (projects.length === 0 || projects.some((name) => DEPLOYS.has(name))) await bundle();
if (projects.length > 0) {
  const patterns = words.filter((word) => !isProject(word));
  const { code } = await jest(['--selectProjects', ...projects, '--', ...patterns]);
  process.exit(code);
}
const results = await runSuites(SUITES);
console.log(`\n${reportOf(results)}`);
process.exit(isGood(results, { every: words.includes('--every-suite') }) ? 0 : 1);
