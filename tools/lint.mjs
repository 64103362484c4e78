#!/usr/bin/env node
// Every linter: `npm run lint`.
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { generateSources } from './codegen.mjs';
import { installed, isMain, run } from './process.mjs';
import { commandStep, runSteps } from './steps.mjs';

/** Comes before the linters: ESLint's boundary rule reads what it leaves. */
export const PROJECT_GRAPH = { name: 'project graph', work: makeProjectGraph };

/** The linters, in no order. */
export const LINTERS = [
  commandStep('code', () => [...installed('eslint'), '.']),
  commandStep('boundaries', () => [...installed('depcruise'), 'libs', 'apps', '--config', '.dependency-cruiser.cjs']),
  commandStep('boundary canary', () => [process.execPath, 'tools/lint/boundary-canary.mjs']),
  commandStep('protos', () => [...installed('buf'), 'lint', 'proto']),
];

/**
 * ESLint's boundary rule reads Nx's cached project graph and, when there is none or it is empty, skips itself without
 * an error. So the graph is made here, and must have edges.
 */
async function makeProjectGraph() {
  const file = path.join(os.tmpdir(), `project-graph-${process.pid}.json`);
  const env = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true' };
  const { code, output } = await run([...installed('nx'), 'graph', `--file=${file}`], { env, capture: true });
  if (code !== 0) throw new Error(output);
  const { graph } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  const edges = Object.values(graph.dependencies).flat().length;
  if (edges === 0) throw new Error('Nx found no dependency between projects: the boundary rule would pass anything.');
  return `${Object.keys(graph.nodes).length} projects, ${edges} dependencies`;
}

if (isMain(import.meta)) {
  const failed = [
    ...(await runSteps([{ name: 'generated code', work: generateSources }, PROJECT_GRAPH])),
    ...(await runSteps(LINTERS, { atOnce: 2 })),
  ];
  if (failed.length > 0) process.exit(1);
}
