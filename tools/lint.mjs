#!/usr/bin/env node
// Every linter: `npm run lint`. `node tools/lint.mjs apps/swap` lints the code of a project; so does Nx.
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { generateSources } from './codegen.mjs';
import { installed, isMain, run } from './running/process.mjs';
import { commandStep, runSteps } from './running/steps.mjs';

/** Comes before the linters: ESLint's boundary rule reads what it leaves. */
export const PROJECT_GRAPH = { name: 'project graph', work: makeProjectGraph };

const code = (...folders) => commandStep('code', () => [...installed('eslint'), ...folders]);
const boundaries = (...folders) =>
  commandStep('boundaries', () => [...installed('depcruise'), ...folders, '--config', '.dependency-cruiser.cjs']);

/** The linters, in no order. */
export const LINTERS = [
  code('.'),
  boundaries('libs', 'apps'),
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
  const projects = process.argv.slice(2);
  const sources = { name: 'generated code', work: generateSources };
  // Nx has made the graph before it lints a project.
  const [making, looking] =
    projects.length > 0
      ? [[sources], [code(...projects), boundaries(...projects)]]
      : [[sources, PROJECT_GRAPH], LINTERS];
  const failed = [...(await runSteps(making)), ...(await runSteps(looking, { atOnce: 2 }))];
  if (failed.length > 0) process.exit(1);
}
