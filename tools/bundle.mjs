#!/usr/bin/env node
// Makes of each service's built `main.js` one file with everything that it imports, `apps/<service>/bundle/main.js`: as a
// process of its own it then starts with a quarter of the CPU. So it does with what runs beside them in a container. `node tools/bundle.mjs`, after a build.
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { isMain, root } from './process.mjs';

/** What packages try to load and do without. */
const OPTIONAL = [
  ...['@grpc/proto-loader', '@nestjs/platform-express', '@nestjs/websockets', '@nestjs/websockets/*'],
  ...['@fastify/multipart', '@fastify/static', '@fastify/view'],
  ...['amqp-connection-manager', 'amqplib', 'cache-manager', 'ioredis', 'mqtt', '@nats-io/*', 'nats'],
  ...['bufferutil', 'utf-8-validate', 'class-transformer', 'class-transformer/*', 'class-validator', 'pg-native'],
];

/** Read a file that lies beside their code; the second is native, and loaded by one of the signer's vaults only. */
const WITH_FILES = ['grpc-health-check', 'pkcs11js'];

/** Nest loads packages in a way that esbuild does not see. */
const UNSEEN_REQUIRE = /\bcreateRequire\(import\.meta\.url\)\((?=')/g;

/** Loaded by one of the signer's vaults, when it is the one that was chosen. */
const OF_VAULTS = ['@aws-sdk/client-kms', '@phala/dstack-sdk', '@peculiar/asn1-cms', '@peculiar/asn1-schema'];

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

/** What becomes one file: where it was built. It gets the same name under `bundle`. */
const ENTRIES = [
  ...SERVICES.flatMap((app) => [`apps/${app}/dist/main.js`, `apps/${app}/dist/migrate.js`]),
  'libs/events/dist/postgres/migrate.js',
  'apps/standalone/dist/schemas.js',
];

/** A map that leads from all of a file to its start. */
const SHORT_MAP = Buffer.from('{"version":3,"sources":[""],"mappings":"AAAA"}').toString('base64');

/** Lines in source maps for our own code alone: a fifth of the size, and a process reads its map at its first error. */
const LIBRARIES = {
  name: 'libraries',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path: file }) => ({
      contents: `${(await readFile(file, 'utf8')).replace(UNSEEN_REQUIRE, 'require(')}\n//# sourceMappingURL=data:application/json;base64,${SHORT_MAP}`,
      loader: 'js',
    })),
};

const bundleOf = (entry) => path.join(root, entry.replace('/dist/', '/bundle/'));

/** Bundles all of it. The folder is as deep as `dist`, so that paths relative to a file mean the same. */
export async function bundle() {
  const { build } = await import('esbuild');
  const startedAtMs = performance.now();
  for (const entry of ENTRIES) {
    await build({
      entryPoints: [path.join(root, entry)],
      outfile: bundleOf(entry),
      ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
      // Names of classes are read: by dependency injection, and in logs of errors.
      ...{ keepNames: true, minifyWhitespace: true, sourcemap: true, sourcesContent: false },
      external: [...OPTIONAL, ...WITH_FILES, ...OF_VAULTS],
      banner: { js: BANNER },
      plugins: [LIBRARIES],
    });
  }
  console.log(`bundled ${ENTRIES.length} programs in ${Math.round(performance.now() - startedAtMs)} ms`);
}

/** Whoever builds anything anew removes what was bundled of the old. */
export async function removeBundles() {
  const kinds = ['apps', 'libs'].map(async (kind) =>
    (await readdir(path.join(root, kind))).map((name) => path.join(root, kind, name, 'bundle')),
  );
  const folders = (await Promise.all(kinds)).flat();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
}

if (isMain(import.meta)) await bundle();
