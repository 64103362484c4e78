// Keeps the facts of test runs: how long each file took, what it did, and which complete systems it started.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { laneOf } from '../jest/lanes.mjs';
import { root } from '../running/process.mjs';

/** Where runs are kept; not committed. */
export const RUNS_FOLDER = path.join(root, '.data', 'test-runs');

const RUNS_KEPT = 20;
const SLOWEST_SHOWN = 25;

/**
 * A test run.
 * @typedef {{ file: string, lane: string, ms: number, passed: number, failed: number, skipped: number }} FileFacts
 * `file` is relative to the workspace.
 * @typedef {{ startedAt: string, wallMs: number, files: FileFacts[], systems: string[] }} Run
 * `systems`: what started each complete system, in order.
 */

/** Converts Jest's results (`--json`) to a run. */
export function runOf({ testResults, startTime }, { wallMs, systems = [] }) {
  const files = testResults.map(({ name, startTime, endTime, assertionResults }) => {
    const count = (...statuses) => assertionResults.filter(({ status }) => statuses.includes(status)).length;
    return {
      file: path.relative(root, name),
      lane: laneOf(name),
      ms: Math.max(0, endTime - startTime),
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('pending', 'todo'),
    };
  });
  return { startedAt: new Date(startTime).toISOString(), wallMs, files, systems };
}

/** Writes a run to the folder of runs, and removes the oldest of too many. Returns its path. */
export function keepRun(run) {
  mkdirSync(RUNS_FOLDER, { recursive: true });
  const file = path.join(RUNS_FOLDER, `${run.startedAt.replace(/[:.]/g, '-')}.json`);
  writeFileSync(file, JSON.stringify(run, undefined, 1));
  const kept = readdirSync(RUNS_FOLDER).sort();
  for (const name of kept.slice(0, -RUNS_KEPT)) rmSync(path.join(RUNS_FOLDER, name));
  return file;
}

/** Reads a kept run. @throws Error when the file is not one */
export function readRun(file) {
  const run = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(run.files)) throw new Error(`${file} is not a kept test run.`);
  return run;
}

/** Returns the group of a file: its project, and its lane unless that is the usual one. */
export function groupOf({ file, lane }) {
  const [kind, name] = file.split('/');
  const project = kind === 'tools' ? 'tools' : `${kind}/${name}`;
  return lane === 'parts' ? project : `${project} (${lane})`;
}

/** Sums a run by group, the longest first: `[group, { files, tests, ms }]`. */
export function sumsOf({ files }) {
  const sums = new Map();
  for (const each of files) {
    const group = groupOf(each);
    const sum = sums.get(group) ?? { files: 0, tests: 0, ms: 0 };
    sums.set(group, { files: sum.files + 1, tests: sum.tests + each.passed + each.failed, ms: sum.ms + each.ms });
  }
  return [...sums].sort(([, a], [, b]) => b.ms - a.ms);
}

const seconds = (ms) => (ms / 1_000).toFixed(1);

/** Returns a table as lines of text; the first column is aligned left, the others right. */
export function tableOf(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows.map((row) =>
    row.map((cell, column) => String(cell)[column === 0 ? 'padEnd' : 'padStart'](widths[column])).join('  '),
  );
}

/** Returns what `npm test` prints of a run: the slowest files, the sum of each group, and complete systems. */
export function reportOfRun(run) {
  const slowest = [...run.files].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN);
  const all = run.files.reduce((sum, { ms }) => sum + ms, 0);
  return [
    `The ${slowest.length} slowest files:`,
    ...tableOf([['file', 'seconds'], ...slowest.map(({ file, ms }) => [file, seconds(ms)])]),
    '',
    ...tableOf([
      ['group', 'files', 'tests', 'seconds'],
      ...sumsOf(run).map(([group, { files, tests, ms }]) => [group, files, tests, seconds(ms)]),
      ['all workers', run.files.length, run.files.reduce((sum, f) => sum + f.passed + f.failed, 0), seconds(all)],
    ]),
    '',
    `Complete systems started: ${run.systems.length}`,
    ...run.systems.map((system) => `  ${system}`),
  ].join('\n');
}
