#!/usr/bin/env node
// Every linter, in the order of the table; exits with 1 when one finds something.
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installed, isMain, run } from './process.mjs';

/** The linters by name; each resolves to whether it found nothing. */
export const LINTERS = {
  protos: () => passes([...installed('buf'), 'lint', 'proto']),
  'project graph': graphHasEdges,
  code: () => passes([...installed('eslint'), 'libs', 'apps', 'tools']),
  boundaries: () => passes([...installed('depcruise'), 'libs', 'apps', '--config', '.dependency-cruiser.cjs']),
  'boundary canary': () => passes([process.execPath, 'tools/lint/boundary-canary.mjs']),
};

async function passes(command) {
  return (await run(command)).code === 0;
}

/**
 * ESLint's boundary rule reads Nx's cached project graph and, when there is none or it is empty, skips itself without
 * an error. So the graph is made here, and must have edges.
 */
async function graphHasEdges() {
  const file = path.join(os.tmpdir(), `project-graph-${process.pid}.json`);
  const env = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };
  const { code, output } = await run([...installed('nx'), 'graph', `--file=${file}`], { env, capture: true });
  if (code !== 0) {
    console.error(output);
    return false;
  }
  const { graph } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  const edges = Object.values(graph.dependencies).flat().length;
  console.log(`${Object.keys(graph.nodes).length} projects, ${edges} dependencies between them`);
  return edges > 0;
}

if (isMain(import.meta)) {
  const failed = [];
  for (const [name, linter] of Object.entries(LINTERS)) {
    console.log(`lint: ${name}`);
    if (!(await linter())) failed.push(name);
  }
  if (failed.length > 0) {
    console.error(`lint found something in: ${failed.join(', ')}`);
    process.exit(1);
  }
}
