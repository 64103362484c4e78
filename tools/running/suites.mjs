// Runs test suites and says of each whether it ran.
import path from 'node:path';
import { run } from './process.mjs';

/**
 * A suite: its name, how it runs (resolving to `{ passed, failed, skipped }`), and what it needs from the machine, as
 * commands by name that must succeed for the suite to run.
 * @typedef {{ name: string, needs?: Record<string, string[]>, run: () => Promise<Counts> }} Suite
 * @typedef {{ passed: number, failed: number, skipped: number, reasons?: string[], flaky?: Flaky[] }} Counts `reasons`: why
 * tests were skipped; `flaky`: what failed once and then passed by itself
 * @typedef {{ name: string, message: string }} Flaky
 */

/** Runs suites one after the other; each result is the suite's counts, or why it could not run. */
export async function runSuites(suites) {
  const results = [];
  for (const suite of suites) {
    const missing = await missingNeeds(suite.needs ?? {});
    if (missing.length > 0) {
      results.push({ name: suite.name, couldNotRun: `this machine has no ${missing.join(', no ')}` });
      continue;
    }
    console.log(`\n== ${suite.name}`);
    try {
      results.push({ name: suite.name, counts: await suite.run() });
    } catch (error) {
      console.error(error);
      results.push({ name: suite.name, counts: { passed: 0, failed: 1, skipped: 0 } });
    }
  }
  return results;
}

/** Whether everything that ran passed, and with `every`, whether everything ran. A suite of no tests did not pass. */
export function isGood(results, { every }) {
  return results.every(({ counts }) => (counts ? counts.failed === 0 && counts.passed > 0 : !every));
}

/** What became of each suite, what was flaky with its first failure, and the sum as the last line. */
export function reportOf(results) {
  const lines = results.map(({ name, counts, couldNotRun }) => {
    if (couldNotRun) return `could not run  ${name}: ${couldNotRun}`;
    const ran = `${counts.failed === 0 && counts.passed > 0 ? 'ran' : 'FAILED'}  ${name}: ${inWords(counts)}`;
    return [ran, ...(counts.reasons ?? []).map((reason) => `  skipped  ${reason}`)].join('\n');
  });
  const all = results.flatMap(({ counts }) => counts ?? []);
  const flaky = all.flatMap((counts) => counts.flaky ?? []);
  lines.push(...flaky.map(({ name, message }) => `FLAKY  ${name}\n${message.trim().replace(/^/gm, '  ')}`));
  const sum = (key) => all.reduce((total, counts) => total + counts[key], 0);
  return [...lines, '', inWords({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') })].join('\n');
}

/** What Jest skipped, by file below `root`, with the need that its title names (libs/testing, `where`). */
export function skippedIn({ testResults }, root) {
  return testResults.flatMap(({ name, assertionResults }) => {
    const skipped = assertionResults.filter(({ status }) => status === 'pending' || status === 'todo');
    if (skipped.length === 0) return [];
    const needs = skipped.map(({ fullName }) => /\[needs ([^\]]+)\]/.exec(fullName)?.[1] ?? 'no reason given');
    return `${skipped.length} of ${path.relative(root, name)}: needs ${[...new Set(needs)].join('; ')}`;
  });
}

function inWords({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

async function missingNeeds(needs) {
  const missing = [];
  for (const [name, command] of Object.entries(needs)) {
    const works = await run(command, { capture: true }).then(
      ({ code }) => code === 0,
      () => false,
    );
    if (!works) missing.push(name);
  }
  return missing;
}
