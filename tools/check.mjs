#!/usr/bin/env node
// Generates, formats, lints and type-checks everything, and fails when that changed a file: `npm run check`.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { codegen } from './codegen.mjs';
import { ensureInstalled } from './running/install.mjs';
import { jest } from './jest.mjs';
import { LINTERS } from './lint.mjs';
import { TYPES } from './types.mjs';
import { installed, root, run } from './running/process.mjs';
import { commandStep, runSteps } from './running/steps.mjs';

const LOOKING = [
  ...LINTERS,
  { name: 'protos stay compatible', work: compareProtos },
  ...TYPES,
  { name: 'texts', work: readTexts },
];

/** Builds everything, and makes what is generated. */
async function generate() {
  // The types of the API's clients are generated from what is built.
  const { build } = await import('./build.mjs');
  await build();
  await codegen();
}

/** Compares the protos with those of the last release: before the first one, every message may still change. */
async function compareProtos() {
  const release = await git('describe', '--tags', '--abbrev=0', '--match', 'v*');
  if (!release) return 'nothing is released yet';
  const archive = path.join(os.tmpdir(), `protos-${process.pid}.tar`);
  try {
    await git('archive', '--format=tar', `--output=${archive}`, release, 'proto');
    const against = ['--against', `${archive}#subdir=proto`];
    const { code, output } = await run([...installed('buf'), 'breaking', 'proto', ...against], { capture: true });
    if (code !== 0) throw new Error(output);
    return `with ${release}`;
  } finally {
    rmSync(archive, { force: true });
  }
}

/** Runs the text lane (tools/jest/lanes.mjs): tests that only read files of the repository. */
async function readTexts() {
  const { code, output } = await jest([], { env: { TEST_LANE: 'text' }, capture: true });
  if (code !== 0) throw new Error(output);
  return /^Tests: +(.+)$/m.exec(output)?.[1];
}

/** The output of a git command; empty when it fails. */
async function git(...args) {
  const { code, output } = await run(['git', ...args], { capture: true });
  return code === 0 ? output.trim() : '';
}

/** Every file that git does not know as it is, with a hash of its content. */
async function changedFiles() {
  const { code, output } = await run(['git', 'status', '--porcelain', '--untracked-files=all', '-z'], {
    capture: true,
  });
  if (code !== 0) throw new Error(`Nothing can be compared: ${output}`);
  const names = output.split('\0').map((entry) => entry.slice(3));
  return new Map(names.filter(Boolean).map((name) => [name, hashOf(path.join(root, name))]));
}

function hashOf(file) {
  if (!existsSync(file) || !lstatSync(file).isFile()) return 'gone';
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function differences(before, after) {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

await ensureInstalled();
const before = await changedFiles();
const failed = await runSteps([
  { name: 'generated code', work: generate },
  commandStep('format', () => installed('oxfmt')),
]);
failed.push(...(await runSteps(LOOKING, { atOnce: 2 })));
const changed = differences(before, await changedFiles());
if (changed.length > 0) console.error(`WRONG these files were not up to date, and are now:\n  ${changed.join('\n  ')}`);
process.exit(failed.length + changed.length > 0 ? 1 : 0);
