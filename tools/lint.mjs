#!/usr/bin/env node
// Every linter: `npm run lint`. `node tools/lint.mjs apps/swap` lints the code of a project; so does Nx.
import { generateSources } from './codegen.mjs';
import { lintCode } from './lint/code-rules.mjs';
import { installed, isMain } from './running/process.mjs';
import { commandStep, runSteps } from './running/steps.mjs';

const code = (...folders) => ({ name: 'code', work: () => lintCode(folders) });
const boundaries = (...folders) =>
  commandStep('boundaries', () => [...installed('depcruise'), ...folders, '--config', '.dependency-cruiser.cjs']);

/** The linters, in no order. */
export const LINTERS = [
  code('.'),
  boundaries('libs', 'apps'),
  commandStep('boundary canary', () => [process.execPath, 'tools/lint/boundary-canary.mjs']),
  commandStep('protos', () => [...installed('buf'), 'lint', 'proto']),
];

if (isMain(import.meta)) {
  const projects = process.argv.slice(2);
  const sources = { name: 'generated code', work: generateSources };
  const looking = projects.length > 0 ? [code(...projects), boundaries(...projects)] : LINTERS;
  const failed = [...(await runSteps([sources])), ...(await runSteps(looking, { atOnce: 2 }))];
  if (failed.length > 0) process.exit(1);
}
