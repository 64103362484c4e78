#!/usr/bin/env node
// Transpiles every project's src to dist with swc: `node tools/build.mjs [libs/kernel …]`. First makes the sources that are
// generated.
import { transformFile } from '@swc/core';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeBundles } from './bundle.mjs';
import { generateSources } from './codegen.mjs';
import { buildConsole } from './console/build.mjs';
import { isMain, root } from './running/process.mjs';

/** What shapes the output besides a source: when one of these is newer, a file is built again. */
const RECIPE = ['.swcrc', 'tools/build.mjs', 'package-lock.json'];

/** How many files are built at once: a process may commonly hold 1,024 open. */
const AT_ONCE = 100;

/** Builds every project, or those given. Throws one error that names every file which does not parse. */
export async function build(projects) {
  await generateSources();
  const startedAtMs = performance.now();
  const recipeMs = Math.max(...(await Promise.all(RECIPE.map(async (f) => (await stat(path.join(root, f))).mtimeMs))));
  const wanted = await Promise.all((projects ?? (await allProjects())).map(filesOf));
  const files = wanted.flat();
  const results = [];
  while (results.length < files.length) {
    const next = files.slice(results.length, results.length + AT_ONCE);
    results.push(...(await Promise.allSettled(next.map((file) => buildFile(file, recipeMs)))));
  }
  const failed = results.filter(({ status }) => status === 'rejected');
  if (failed.length > 0) throw new Error(failed.map(({ reason }) => reason.message).join('\n'));
  // Nx puts what it built earlier back without building, so the times of files say whether a bundle is older.
  await removeBundles({ madeBeforeMs: Math.max(...results.map(({ value }) => value.builtAtMs)) });
  const count = results.filter(({ value }) => value.isNew).length;
  if (count > 0) console.log(`built ${count} files in ${Math.round(performance.now() - startedAtMs)} ms`);
  if (!projects) await buildConsole();
}

async function allProjects() {
  const kinds = await Promise.all(
    ['libs', 'apps'].map(async (kind) => (await readdir(path.join(root, kind))).map((name) => path.join(kind, name))),
  );
  return kinds.flat();
}

/** The sources of a project with their outputs; outputs that have no source any more are removed. */
async function filesOf(project) {
  const [src, dist] = ['src', 'dist'].map((folder) => path.join(root, project, folder));
  const files = (await filesIn(src))
    .filter((file) => /(?<!\.spec|\.d)\.ts$/.test(file))
    .map((file) => ({ source: path.join(src, file), output: path.join(dist, file.replace(/\.ts$/, '.js')) }));
  const outputs = new Set(files.map(({ output }) => output));
  for (const file of await filesIn(dist)) {
    const built = path.join(dist, file);
    if (/\.js(\.map)?$/.test(file) && !outputs.has(built.replace(/\.map$/, ''))) await rm(built, { force: true });
  }
  return files;
}

async function filesIn(directory) {
  return readdir(directory, { recursive: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function buildFile({ source, output }, recipeMs) {
  const [from, to] = await Promise.all([stat(source), stat(output).catch(() => undefined)]);
  if (to && to.mtimeMs >= Math.max(from.mtimeMs, recipeMs)) return { isNew: false, builtAtMs: to.mtimeMs };
  const { code, map } = await transformFile(source, { cwd: root, sourceMaps: true });
  await mkdir(path.dirname(output), { recursive: true });
  await writeWhole(`${output}.map`, map);
  await writeWhole(output, `${code}\n//# sourceMappingURL=${path.basename(output)}.map\n`);
  return { isNew: true, builtAtMs: (await stat(output)).mtimeMs };
}

/** Another process may read the file, or build it too, at the same time. */
async function writeWhole(file, content) {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, file);
}

if (isMain(import.meta)) {
  const chosen = process.argv.slice(2);
  await build(chosen.length > 0 ? chosen : undefined);
}
