#!/usr/bin/env node
// Builds the owners' console for browsers: `node tools/console/build.mjs`. Its types come from the gateway's own OpenAPI
// document; its files lie in apps/console/web/dist, as the console's server serves them.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { generateApiTypes } from '../codegen/api-types.mjs';
import { installed, isMain, root, run } from '../running/process.mjs';

const WEB = path.join(root, 'apps', 'console', 'web');
/** The one library of the workspace that is in the page. */
const VERIFIER = path.join(root, 'libs', 'audit', 'src');
const PAGE = path.join(WEB, 'dist', 'index.html');
/** What shapes the output besides the sources. */
const RECIPE = ['apps/console/vite.config.ts', 'apps/console/tsconfig.json', 'package-lock.json'];

/** Builds the app, if a source is newer than what was built. The gateway must be built. */
export async function buildConsole() {
  await generateApiTypes();
  const builtAtMs = await timeOf(PAGE);
  const sources = (await readdir(WEB, { recursive: true })).filter((file) => /\.(tsx?|css|html|svg)$/.test(file));
  const verifier = (await readdir(VERIFIER, { recursive: true })).filter((file) => file.endsWith('.ts'));
  // Types leave nothing in the output.
  const files = sources.filter((file) => !/^(dist|generated)\//.test(file)).map((file) => path.join(WEB, file));
  files.push(...verifier.map((file) => path.join(VERIFIER, file)));
  const times = await Promise.all([...files, ...RECIPE.map((file) => path.join(root, file))].map(timeOf));
  if (builtAtMs > Math.max(...times)) return;
  const { code, output } = await run(
    [...installed('vite'), 'build', '--logLevel', 'warn', 'apps/console/web'].concat([
      '--config',
      'apps/console/vite.config.ts',
    ]),
    { capture: true, env: { NODE_ENV: 'production' } },
  );
  if (code !== 0) throw new Error(`The console was not built.\n${output}`);
  await compressFiles();
  console.log('built the console');
}

/** Puts a compressed copy beside each file: servers hand these out as they are. */
async function compressFiles() {
  const folder = path.dirname(PAGE);
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.(js|css|html|svg)$/.test(file));
  for (const file of files.map((name) => path.join(folder, name))) {
    const content = await readFile(file);
    await writeFile(`${file}.br`, brotliCompressSync(content));
    await writeFile(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}

async function timeOf(file) {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

if (isMain(import.meta)) await buildConsole();
