// Suites of tests and how they run: Jest in its lanes, and programs that count as one test each.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { jest } from '../jest.mjs';
import { keepRun, reportOfRun, runOf } from '../measuring/test-runs.mjs';
import { root, run } from './process.mjs';
import { skippedIn } from './suites.mjs';

const MINUTE_MS = 60_000;

/** More files than this fail together for one reason, which a second run would only confirm. */
const MOST_REPEATED = 5;

/**
 * Runs Jest, keeps the run's times, and prints them. Resolves to the counts of a suite.
 *
 * @param options.args further arguments of Jest
 * @param options.repeats whether a failed file runs once more by itself at the end; one that then passes is flaky
 * @param options.mostSystems how many complete systems a run may start; unlimited when omitted
 */
export async function runJest({ args = [], env, limitMs = 75 * MINUTE_MS, repeats = false, mostSystems } = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'jest-results-'));
  try {
    const startedAtMs = Date.now();
    const systemsPath = path.join(folder, 'systems');
    const { code, results } = await runOnce(args, {
      env: { ...env, STARTED_SYSTEMS_PATH: systemsPath },
      folder,
      limitMs,
    });
    const systems = existsSync(systemsPath) ? readFileSync(systemsPath, 'utf8').trim().split('\n') : [];
    const facts = runOf(results, { wallMs: Date.now() - startedAtMs, systems });
    console.log(`\n${reportOfRun(facts)}\nKept as ${path.relative(root, keepRun(facts))}`);
    const failures = failuresIn(results);
    const repeated =
      repeats && failures.length <= MOST_REPEATED ? await repeat(failures, { env, folder, limitMs }) : [];
    const flaky = repeated.filter(({ passes }) => passes);
    const stillFailing = failures.filter(({ file }) => !flaky.some((each) => each.file === file));
    const problems = [];
    // Jest may also fail around its tests, for example while it stops the database.
    if (code !== 0 && failures.length === 0) problems.push('Jest failed outside of its tests.');
    if (mostSystems !== undefined && systems.length > mostSystems)
      problems.push(`${systems.length} complete systems were started; at most ${mostSystems} may be.`);
    for (const problem of problems) console.error(problem);
    const sum = (files, key) => files.reduce((total, each) => total + each[key], 0);
    return {
      passed: results.numPassedTests + sum(flaky, 'failed'),
      failed: sum(stillFailing, 'failed') + problems.length,
      skipped: results.numPendingTests + results.numTodoTests,
      reasons: skippedIn(results, root),
      flaky: flaky.map(({ file, message }) => ({ name: file, message })),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runOnce(args, { env, folder, limitMs }) {
  const file = path.join(folder, `results-${Date.now()}.json`);
  const { code } = await jest([...args, '--json', `--outputFile=${file}`], { env, limitMs });
  return { code, results: JSON.parse(readFileSync(file, 'utf8')) };
}

/** Returns the failed files of a run, with how many tests of each failed (1 for a file that did not load). */
function failuresIn({ testResults }) {
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults, message }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed').length;
      return { file: path.relative(root, name), failed: Math.max(1, failed), message };
    });
}

/** Runs each failed file by itself, with nothing else running. */
async function repeat(failures, options) {
  const repeated = [];
  for (const failure of failures) {
    console.log(`\nRepeating ${failure.file}, which failed`);
    const { code } = await runOnce(['--runTestsByPath', failure.file], options);
    repeated.push({ ...failure, passes: code === 0 });
  }
  return repeated;
}

/** Runs a program as one test: it passes when it exits with 0. */
export async function runProgram(command, { limitMs = 15 * MINUTE_MS, env } = {}) {
  const { code } = await run(command, { limitMs, env });
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

/** Runs a Node program of the workspace as one test. */
export const runTool = (args, options) => runProgram([process.execPath, ...args], options);

/** What suites in Python need from the machine. */
export const PYTHON = {
  'Python 3.11 with venv': ['python3', '-c', 'import sys, venv; assert sys.version_info >= (3, 11)'],
};
