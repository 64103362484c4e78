#!/usr/bin/env node
// Compares two test runs: `node tools/measuring/compare-test-runs.mjs [BEFORE AFTER]`. HELP says what it takes.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isMain } from '../running/process.mjs';
import { readRun, RUNS_FOLDER, sumsOf, tableOf } from './test-runs.mjs';

const HELP = `Usage: node tools/measuring/compare-test-runs.mjs [BEFORE AFTER]

Prints the seconds of each group of test files in two runs, and the files that changed most.
BEFORE and AFTER are files of ${path.relative(process.cwd(), RUNS_FOLDER)}; without them, the last two runs.`;

const FILES_SHOWN = 15;

const seconds = (ms) => (ms === undefined ? '-' : (ms / 1_000).toFixed(1));
const difference = (before = 0, after = 0) => `${after >= before ? '+' : ''}${((after - before) / 1_000).toFixed(1)}`;

/** Returns the comparison of two runs as text. */
export function comparisonOf(before, after) {
  const [groupsBefore, groupsAfter] = [before, after].map((run) => new Map(sumsOf(run)));
  const names = [...new Set([...groupsBefore.keys(), ...groupsAfter.keys()])];
  const rows = names.map((name) => [name, groupsBefore.get(name)?.ms, groupsAfter.get(name)?.ms]);
  const [filesBefore, filesAfter] = [before, after].map((run) => new Map(run.files.map(({ file, ms }) => [file, ms])));
  const files = [...new Set([...filesBefore.keys(), ...filesAfter.keys()])]
    .map((file) => [file, filesBefore.get(file), filesAfter.get(file)])
    .sort(([, a, b], [, c, d]) => Math.abs((d ?? 0) - (c ?? 0)) - Math.abs((b ?? 0) - (a ?? 0)));
  const inSeconds = ([name, a, b]) => [name, seconds(a), seconds(b), difference(a, b)];
  const heading = ['before', 'after', 'change'];
  return [
    ...tableOf([['group', ...heading], ...rows.map(inSeconds), inSeconds(['wall', before.wallMs, after.wallMs])]),
    '',
    ...tableOf([['file', ...heading], ...files.slice(0, FILES_SHOWN).map(inSeconds)]),
    '',
    `Complete systems: ${before.systems.length} before, ${after.systems.length} after`,
  ].join('\n');
}

function lastTwo() {
  const names = readdirSync(RUNS_FOLDER).sort().slice(-2);
  if (names.length < 2) throw new Error('There are not two runs to compare. Run `npm test` first.');
  return names.map((name) => path.join(RUNS_FOLDER, name));
}

if (isMain(import.meta)) {
  const words = process.argv.slice(2);
  if (words.includes('--help') || (words.length !== 0 && words.length !== 2)) {
    console.log(HELP);
    process.exit(words.includes('--help') ? 0 : 2);
  }
  const [before, after] = (words.length === 2 ? words : lastTwo()).map(readRun);
  console.log(comparisonOf(before, after));
}
