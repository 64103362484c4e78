#!/usr/bin/env node
// Breaks every boundary rule on purpose, in a copy of the workspace's skeleton, and a choice of ESLint's rules in files
// that exist in memory only. Fails when one is not caught, or when what is allowed is.
import { isMain } from '../running/process.mjs';
import { missedByCruiser } from './cruiser-canary.mjs';
import { missedByEslint } from './eslint-canary.mjs';

if (isMain(import.meta)) {
  const [cruiser, eslint] = await Promise.all([missedByCruiser(), missedByEslint()]);
  const problems = [...cruiser.problems, ...eslint.problems];
  for (const problem of problems) console.error(`boundary canary: ${problem}`);
  if (problems.length > 0) process.exit(1);
  console.log(`${cruiser.count + eslint.count} broken rules, every one caught`);
}
