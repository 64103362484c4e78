#!/usr/bin/env node
// Installs what package-lock.json names, unless it is there already. Needs nothing but Node and npm.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isMain, root, run } from './process.mjs';

const OPTIONS = [
  '--include=dev', // also under NODE_ENV=production, which would leave out what the build needs
  '--loglevel=error',
];

/** Installs when something is missing or package-lock.json changed since. Throws when that fails. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  console.log('Installing packages (npm ci): about a minute, once.');
  const { code } = await run([...npm(), 'ci', ...OPTIONS]);
  if (code !== 0) throw new Error(`npm ci failed with exit code ${code}.`);
}

/** npm ends an installation by writing down what it installed: a killed one leaves none. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const found = packagesOf(path.join('node_modules', '.package-lock.json'));
  return Object.entries(wanted).every(([location, entry]) => {
    if (!location.startsWith('node_modules/')) return true;
    const actual = found[location];
    // Packages for other platforms are optional and stay away.
    return actual ? actual.version === entry.version && actual.integrity === entry.integrity : entry.optional === true;
  });
}

function packagesOf(lockfile) {
  const file = path.join(root, lockfile);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

/** The npm that runs us, if one does; otherwise the one on the PATH. */
function npm() {
  const path = process.env.npm_execpath;
  return path?.endsWith('.js') ? [process.execPath, path] : ['npm'];
}

if (isMain(import.meta)) await ensureInstalled();
