#!/usr/bin/env node
// Makes what is generated. The sources that programs need (the protobuf messages and services, the client's error codes, the
// descriptors for reflection, a Prisma client per app that has a schema) are not committed: every build makes them, offline,
// when their inputs changed. `npm run codegen` makes docs/grpc.md, too, and the committed tables and rules.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bringUpToDate } from './codegen/bring-up-to-date.mjs';
import { installed, isMain, root, run } from './running/process.mjs';

const RECIPE = ['tools/codegen.mjs', 'tools/codegen/bring-up-to-date.mjs'];

const OF_PROTOS = [
  ...RECIPE,
  'proto',
  'tools/protos',
  ...versionsOf('@bufbuild/buf', '@bufbuild/protobuf', 'ts-proto'),
];

const MESSAGES = {
  folder: 'libs/client/src/generated',
  inputs: [...OF_PROTOS, 'libs/kernel/src/errors/catalogue.ts'],
  make: makeMessages,
};

/** The verifier's own reader of events, which shares nothing with the services that write them. */
const EVENT_READER = {
  folder: 'libs/audit/src/generated',
  inputs: OF_PROTOS,
  make: makeEventReader,
};

const DESCRIPTORS = {
  folder: 'libs/contracts/src/generated',
  inputs: OF_PROTOS,
  make: makeDescriptors,
};

/** Pages and rules that people and clusters read. All but docs/grpc.md are committed. */
const DOCUMENTS = [
  'tools/docs/event-tables.mjs',
  'tools/docs/telemetry-tables.mjs',
  'tools/docs/grpc-page.mjs',
  'tools/observability/prometheus-rules.mjs',
];

/** Makes everything that is generated. Throws when a generator fails. */
export async function codegen() {
  await generateSources();
  await Promise.all(DOCUMENTS.map((program) => succeed([process.execPath, program])));
}

/** Makes those sources whose inputs changed. Throws when a generator fails. */
export async function generateSources() {
  const startedAtMs = performance.now();
  const outputs = [MESSAGES, EVENT_READER, DESCRIPTORS, ...prismaClients()];
  const results = await Promise.allSettled(outputs.map((output) => bringUpToDate(root, output)));
  const failed = results.filter(({ status }) => status === 'rejected');
  if (failed.length > 0) throw new Error(failed.map(({ reason }) => reason.message).join('\n'));
  const folders = outputs.filter((_, index) => results[index].value).map(({ folder }) => folder);
  if (folders.length === 0) return;
  console.log(`generated ${folders.join(', ')} in ${Math.round(performance.now() - startedAtMs)} ms`);
}

/** Files that change with the versions of packages. */
function versionsOf(...packages) {
  return packages.map((name) => `node_modules/${name}/package.json`);
}

async function makeMessages(draft) {
  const { writeClientIndex } = await import('./protos/client-index.mjs');
  const { writeErrorCodes } = await import('./protos/error-catalogue.mjs');
  await succeed([...installed('buf'), 'generate', 'proto', '--template', 'proto/buf.gen.yaml', '--output', draft]);
  const folder = path.join(draft, MESSAGES.folder);
  await writeClientIndex(folder);
  await writeErrorCodes(folder);
}

async function makeEventReader(draft) {
  const proto = 'agentwallet/audit/v1/event.proto';
  const template = ['--template', 'proto/buf.gen.audit.yaml', '--path', `proto/${proto}`];
  await succeed([...installed('buf'), 'generate', 'proto', ...template, '--output', draft]);
  const file = path.join(draft, EVENT_READER.folder, proto.replace('.proto', '.ts'));
  writeFileSync(file, strictly(readFileSync(file, 'utf8')));
}

/** Makes a reader fail on groups and on fields that end behind their message; ts-proto reads on in the next one. */
function strictly(source) {
  const strict = source
    .replaceAll(
      /if \(\(tag & 7\) === 4 \|\| tag === 0\) \{\s+break;/g,
      'if ((tag & 7) === 3 || (tag & 7) === 4 || tag < 8) {\nthrow new globalThis.RangeError("no field has this tag");',
    )
    .replaceAll(
      /^( *)return message;$/gm,
      '$1if (reader.pos !== end) throw new globalThis.RangeError("a field ends behind its message");\n$&',
    );
  const counts = [/const end = /g, /no field has this tag/g, /reader\.pos !== end/g].map(
    (pattern) => strict.match(pattern)?.length,
  );
  if (new Set(counts).size !== 1) throw new Error('tools/codegen.mjs does not know this version of ts-proto');
  return strict;
}

async function makeDescriptors(draft) {
  const { writeDescriptors } = await import('./protos/descriptors.mjs');
  const folder = path.join(draft, DESCRIPTORS.folder);
  mkdirSync(folder, { recursive: true });
  await writeDescriptors(folder);
}

function prismaClients() {
  const schemas = readdirSync(path.join(root, 'apps')).map((app) => `apps/${app}/prisma/schema.prisma`);
  return schemas
    .filter((schema) => existsSync(path.join(root, schema)))
    .map((schema) => ({
      folder: path.join(path.dirname(schema), '../src/generated/prisma'),
      inputs: [...RECIPE, ...versionsOf('prisma'), schema],
      make: (draft) => makePrismaClient(schema, draft),
    }));
}

/** The schema names its output relative to itself: a copy of it generates beside the copy. */
async function makePrismaClient(schema, draft) {
  const copy = path.join(draft, schema);
  mkdirSync(path.dirname(copy), { recursive: true });
  copyFileSync(path.join(root, schema), copy);
  const cwd = path.dirname(copy);
  await succeed([...installed('prisma'), 'generate', '--schema', copy], { cwd, env: prismaEnvironment() });
}

/**
 * Before any command Prisma downloads its schema engine, which `generate` never starts. Naming any program in its place
 * saves the download, and lets this run on a machine that cannot reach the host of it.
 */
function prismaEnvironment() {
  return {
    PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: 'true',
    CHECKPOINT_DISABLE: '1',
  };
}

async function succeed(command, options) {
  const { code, output } = await run(command, { ...options, capture: true });
  if (code !== 0) throw new Error(`${command.slice(1).join(' ')} failed:\n${output}`);
}

if (isMain(import.meta)) await (process.argv[2] === 'sources' ? generateSources() : codegen());
