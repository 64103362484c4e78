#!/usr/bin/env node
// Makes of each service's built `main.js` one file with everything that it imports, `apps/<service>/bundle/main.js`: as a
// process of its own it then starts with a quarter of the CPU. `node tools/bundle.mjs`, after a build.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isMain, root } from './process.mjs';

/** What packages try to load and do without. */
const OPTIONAL = [
  ...['@grpc/proto-loader', '@nestjs/platform-express', '@nestjs/websockets', '@nestjs/websockets/*'],
  ...['@fastify/multipart', '@fastify/static', '@fastify/view'],
  ...['amqp-connection-manager', 'amqplib', 'cache-manager', 'ioredis', 'mqtt', '@nats-io/*', 'nats'],
  ...['bufferutil', 'utf-8-validate', 'class-transformer', 'class-transformer/*', 'class-validator', 'pg-native'],
];

/** Reads a file that lies beside its code. */
const WITH_FILES = ['grpc-health-check'];

/** CommonJS packages want these, which ES modules do not have. */
const BANNER = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  "import { dirname as dirnameOfBundle } from 'node:path';",
  "import { fileURLToPath as pathOfBundle } from 'node:url';",
  'const require = createBundleRequire(import.meta.url);',
  'const __filename = pathOfBundle(import.meta.url);',
  'const __dirname = dirnameOfBundle(__filename);',
].join(' ');

/** The sandbox stays as it is built: its virtual machine is a native module. */
const SERVICES = ['gateway', 'wallet', 'swap', 'prediction', 'policy', 'signer', 'history'];

const folderOf = (app) => path.join(root, 'apps', app, 'bundle');

/** Bundles every service. The folder is as deep as `dist`, so that paths relative to a file mean the same. */
export async function bundle() {
  const { build } = await import('esbuild');
  const startedAtMs = performance.now();
  for (const app of SERVICES) {
    await build({
      entryPoints: [path.join(root, 'apps', app, 'dist', 'main.js')],
      outfile: path.join(folderOf(app), 'main.js'),
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
      // Names of classes are read: by dependency injection, and in logs of errors.
      ...{ keepNames: true, sourcemap: true, sourcesContent: false },
      external: [...OPTIONAL, ...WITH_FILES],
      banner: { js: BANNER },
    });
  }
  console.log(`bundled ${SERVICES.length} services in ${Math.round(performance.now() - startedAtMs)} ms`);
}

/** Whoever builds anything anew removes what was bundled of the old. */
export async function removeBundles() {
  const apps = await readdir(path.join(root, 'apps'));
  await Promise.all(apps.map((app) => rm(folderOf(app), { recursive: true, force: true })));
}

if (isMain(import.meta)) await bundle();
