#!/usr/bin/env node
// Type-checks the workspace: `npm run typecheck`.
import path from 'node:path';
import { generateSources } from './codegen.mjs';
import { isMain, root } from './running/process.mjs';
import { commandStep, runSteps } from './running/steps.mjs';

// TypeScript 7, the native compiler, takes a third of the CPU. Generators, dependency-cruiser and tests that read sources need
// the library of TypeScript 6, which keeps the name `typescript` and, by chance of the install, `.bin/tsc`.
const TSC = [process.execPath, path.join(root, 'node_modules/typescript-native/bin/tsc')];

const types = (name, project) => commandStep(name, () => [...TSC, '-p', project]);

/** Steps that type-check, each with its own compiler options. */
export const TYPES = [
  types('types', 'tsconfig.json'),
  types('types of the console', 'apps/console/tsconfig.json'),
  types('types of the console’s tests', 'apps/console/test/tsconfig.json'),
];

if (isMain(import.meta)) {
  const sources = { name: 'generated code', work: generateSources };
  const failed = [...(await runSteps([sources])), ...(await runSteps(TYPES))];
  if (failed.length > 0) process.exit(1);
}
