#!/usr/bin/env node
// Transpiles every project's src to dist with swc. `node tools/build.mjs libs/kernel` builds one project.
import { transformFile } from '@swc/core';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const startedAtMs = performance.now();

async function projects() {
  if (process.argv[2]) return [process.argv[2]];
  const found = [];
  for (const kind of ['libs', 'apps']) {
    for (const name of await readdir(path.join(root, kind))) found.push(path.join(kind, name));
  }
  return found;
}

/** A file is rebuilt only when its source is newer; what has no source any more is removed. */
async function build(project) {
  const src = path.join(root, project, 'src');
  const dist = path.join(root, project, 'dist');
  if (!(await stat(src).catch(() => undefined))) return 0;
  const sources = (await readdir(src, { recursive: true })).filter((f) => f.endsWith('.ts') && !f.endsWith('.spec.ts'));
  const wanted = new Set(sources.flatMap((f) => [f.replace(/\.ts$/, '.js'), f.replace(/\.ts$/, '.js.map')]));
  for (const built of await readdir(dist, { recursive: true }).catch(() => [])) {
    if (/\.js(\.map)?$/.test(built) && !wanted.has(built)) await rm(path.join(dist, built));
  }
  let count = 0;
  for (const file of sources) {
    const from = path.join(src, file);
    const to = path.join(dist, file.replace(/\.ts$/, '.js'));
    const [source, built] = await Promise.all([stat(from), stat(to).catch(() => undefined)]);
    if (built && built.mtimeMs >= source.mtimeMs) continue;
    const { code, map } = await transformFile(from, { cwd: root, sourceMaps: true });
    await mkdir(path.dirname(to), { recursive: true });
    await writeFile(to, `${code}\n//# sourceMappingURL=${path.basename(to)}.map\n`);
    if (map) await writeFile(`${to}.map`, map);
    count += 1;
  }
  return count;
}

const counts = await Promise.all((await projects()).map(build));
const total = counts.reduce((sum, n) => sum + n, 0);
console.log(`built ${total} files in ${Math.round(performance.now() - startedAtMs)} ms`);
