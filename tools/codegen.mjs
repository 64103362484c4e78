#!/usr/bin/env node
// Makes again what is generated: gRPC and events from proto/, a Prisma client per app that has a schema, docs/grpc.md, the
// tables of docs/events.md and docs/telemetry.md, and the rules of a cluster's Prometheus.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { installed, isMain, root, run } from './process.mjs';
import { writeClientIndex } from './protos/client-index.mjs';
import { writeDescriptors } from './protos/descriptors.mjs';
import { writeErrorCodes } from './protos/error-catalogue.mjs';

/** Throws when a generator fails. */
export async function codegen() {
  await succeed([...installed('buf'), 'generate', 'proto', '--template', 'proto/buf.gen.yaml']);
  await writeDescriptors();
  await writeErrorCodes();
  await writeClientIndex();
  const apps = readdirSync(path.join(root, 'apps')).map((name) => `apps/${name}`);
  for (const app of apps.filter((folder) => existsSync(path.join(root, folder, 'prisma', 'schema.prisma')))) {
    const command = [...installed('prisma'), 'generate', '--schema', 'prisma/schema.prisma'];
    await succeed(command, { cwd: path.join(root, app), env: prismaEnvironment() });
  }
  await succeed([process.execPath, 'tools/docs/event-tables.mjs']);
  await succeed([process.execPath, 'tools/docs/telemetry-tables.mjs']);
  await succeed([process.execPath, 'tools/docs/grpc-page.mjs']);
  await succeed([process.execPath, 'tools/observability/prometheus-rules.mjs']);
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

if (isMain(import.meta)) await codegen();
