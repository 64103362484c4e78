// Node's module hooks for tests: TypeScript is transpiled, and a run's test modules are its own.
import { transform } from '@swc/core';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(import.meta.dirname, '..', '..');
const cache = path.join(root, 'node_modules', '.cache', 'transpiled-tests');
const recipe = ['.swcrc', 'package-lock.json'].map((file) => readFileSync(path.join(root, file), 'utf8')).join('\0');
const recipeHash = createHash('sha256').update(recipe).digest('hex');

/** What belongs to the test file that imports it: it may register hooks and keep state. */
const OF_A_TEST = /\/(test\/|src\/testing\/)|\.spec\.[mc]?[jt]s$/;

/**
 * './x.js' in a source means './x.ts', and Jest's globals are those of the worker. A module of a test gets the query of
 * the test file that imports it, so that every test file evaluates its own.
 */
export async function resolve(specifier, context, next) {
  const run = context.parentURL && new URL(context.parentURL).search;
  if (specifier === '@jest/globals') {
    return { url: new URL(`globals.mjs${run}`, import.meta.url).href, format: 'module', shortCircuit: true };
  }
  const resolved = await resolveSource(specifier, context, next);
  if (!run || !resolved.url.startsWith('file:') || resolved.url.includes('?')) return resolved;
  const isOurs = !resolved.url.includes('/node_modules/') && OF_A_TEST.test(resolved.url);
  return isOurs ? { ...resolved, url: resolved.url + run } : resolved;
}

function resolveSource(specifier, context, next) {
  const isOurs = context.parentURL?.startsWith('file:') && !context.parentURL.includes('/node_modules/');
  if (isOurs && /^\.\.?\/.*\.js$/.test(specifier)) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(fileURLToPath(url))) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: await transpiled(fileURLToPath(url)), shortCircuit: true };
}

/** Returns the code of a TypeScript file, with an inline source map. */
export async function transpiled(file) {
  const source = await readFile(file, 'utf8');
  const key = createHash('sha256').update(`${recipeHash}\0${file}\0${source}`).digest('hex');
  const kept = path.join(cache, `${key}.js`);
  const known = await readFile(kept, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const { code } = await transform(source, { filename: file, cwd: root, sourceMaps: 'inline' });
  await mkdir(cache, { recursive: true });
  const draft = `${kept}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, kept);
  return code;
}
