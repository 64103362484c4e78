#!/usr/bin/env node
// Makes of each service's built `main.js` one file with everything that it imports, `apps/<service>/bundle/main.js`: as a
// process of its own it then starts with a quarter of the CPU. So it does with what runs beside them in a container:
// `node tools/bundle.mjs`, after a build. `node tools/bundle.mjs standalone` bundles what `npm start` runs.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isMain, root } from './running/process.mjs';

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

/**
 * `@opentelemetry/sdk-node` loads every exporter, propagator and way of configuration there is. libs/telemetry hands it those
 * that it uses, so that these are never made: they would add a tenth to a bundle and a sixth to the CPU of a start.
 */
const NEVER_MADE =
  /^(\.\/(start|create-from-config)|@opentelemetry\/(configuration|propagator-(b3|jaeger)|sdk-trace-(base|node)|exporter-(zipkin|logs-otlp-http|(logs|metrics|trace)-otlp-(grpc|proto))))$/;

/** Puts an empty module in place of what is never made. */
const WITHOUT_NEVER_MADE = {
  name: 'without what is never made',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: NEVER_MADE }, ({ path: name, importer }) =>
      importer.includes('/@opentelemetry/sdk-node/') ? { path: name, namespace: 'never-made' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'never-made' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** CommonJS packages want these, which ES modules do not have. */
const BANNER = [
  "import { createRequire as createBundleRequire } from 'node:module';",
  "import { dirname as dirnameOfBundle } from 'node:path';",
  "import { fileURLToPath as pathOfBundle } from 'node:url';",
  'const require = createBundleRequire(import.meta.url);',
  'const __filename = pathOfBundle(import.meta.url);',
  'const __dirname = dirnameOfBundle(__filename);',
].join(' ');

const SERVICES = ['gateway', 'wallet', 'swap', 'prediction', 'policy', 'signer', 'history'];

/** What becomes one file: where it was built. It gets the same name under `bundle`. */
export const ENTRIES = [
  ...SERVICES.flatMap((app) => [`apps/${app}/dist/main.js`, `apps/${app}/dist/migrate.js`]),
  'libs/events/dist/postgres/migrate.js',
  'apps/standalone/dist/schemas.js',
  // Serves files that lie beside it, in `web/dist`.
  'apps/console/dist/main.js',
  // What operators run in a pod of their own.
  ...['apps/ops/dist/main.js', 'apps/ops/dist/audit.js', 'apps/history/dist/rebuild.js'],
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

/** Not part of a file: native, or read as files. */
const BESIDE = ['litesvm', 'swagger-ui-dist'];

/** The sandbox of deployments of processes. Its image runs what is built. */
const SANDBOX = 'apps/sandbox/dist/main.js';

/** What `npm start` runs: one file, and the signer, which is a process of its own. */
export const STANDALONE = 'apps/standalone/bundle/main.js';
const OF_STANDALONE = ['apps/standalone/dist/main.js', 'apps/signer/dist/main.js'];

/** Each of our modules finds its files from where it was built, even inside a bundle of another project. */
const PLACES = {
  name: 'places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(apps|libs)\/[^/]+\/dist\/.*\.js$/ }, async ({ path: file }) => {
      const place = path.relative(path.join(root, path.dirname(STANDALONE)), file);
      const contents = await readFile(file, 'utf8');
      return { contents: contents.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) };
    }),
};

/** Without the extension. */
const bundleOf = (entry) => entry.replace('/dist/', '/bundle/').replace(/\.js$/, '');

/** Bundles all of it. The folder is as deep as `dist`, so that paths relative to a file mean the same. */
export async function bundle() {
  await make(ENTRIES);
  await make([SANDBOX], { external: BESIDE, plugins: [PLACES] });
}

/** Whether bundles are there: a build removes those that are older than what it built. */
export async function isBundled() {
  const found = await Promise.all(
    ENTRIES.map((entry) => stat(path.join(root, `${bundleOf(entry)}.js`)).catch(() => false)),
  );
  return found.every(Boolean);
}

/** Bundles what `npm start` runs. */
export async function bundleStandalone() {
  const [standalone, ...others] = OF_STANDALONE;
  await make(others);
  await make([standalone], { external: BESIDE, plugins: [PLACES] });
}

async function make(entries, { external = [], plugins = [] } = {}) {
  const { build, stop } = await import('esbuild');
  const startedAtMs = performance.now();
  const { outputFiles } = await build({
    entryPoints: entries.map((entry) => ({ in: path.join(root, entry), out: bundleOf(entry) })),
    outdir: root,
    ...{ bundle: true, write: false, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
    // Names of classes are read: by dependency injection, and in logs of errors.
    ...{ keepNames: true, minifyWhitespace: true, sourcemap: true, sourcesContent: false },
    external: [...OPTIONAL, ...WITH_FILES, ...OF_VAULTS, ...external],
    banner: { js: BANNER },
    plugins: [WITHOUT_NEVER_MADE, LIBRARIES, ...plugins],
  });
  // Its process would keep more than a gigabyte for as long as this one runs.
  await stop();
  // A program is written after its map, so a reader at this moment gets all of it.
  const maps = outputFiles.filter(({ path: file }) => file.endsWith('.map'));
  const programs = outputFiles.filter(({ path: file }) => !file.endsWith('.map'));
  for (const files of [maps, programs]) await Promise.all(files.map(writeWhole));
  console.log(`bundled ${entries.length} programs in ${Math.round(performance.now() - startedAtMs)} ms`);
}

async function writeWhole({ path: file, contents }) {
  const draft = `${file}.${process.pid}`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(draft, contents);
  await rename(draft, file);
}

/** Removes bundles that were made before a time: all of them by default. A bundle is never older than what was built. */
export async function removeBundles({ madeBeforeMs = Infinity } = {}) {
  const kinds = ['apps', 'libs'].map(async (kind) =>
    (await readdir(path.join(root, kind))).map((name) => path.join(root, kind, name, 'bundle')),
  );
  const remove = async (folder) => {
    const found = await stat(folder).catch(() => undefined);
    if (found && found.mtimeMs < madeBeforeMs) await rm(folder, { recursive: true, force: true });
  };
  await Promise.all((await Promise.all(kinds)).flat().map(remove));
}

if (isMain(import.meta)) await (process.argv[2] === 'standalone' ? bundleStandalone() : bundle());
