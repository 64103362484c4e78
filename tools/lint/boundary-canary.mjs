#!/usr/bin/env node
// Breaks every boundary rule and every typed rule on purpose, in files apart, and a choice of ESLint's rules in files that
// exist in memory only. Fails when one is not caught, or when what is allowed is.
import { isMain } from '../running/process.mjs';
import { missedByCruiser } from './cruiser-canary.mjs';
import { missedByEslint } from './eslint-canary.mjs';
import { missedByTypedRules } from './typed-canary.mjs';

if (isMain(import.meta)) {
  const results = await Promise.all([missedByCruiser(), missedByEslint(), missedByTypedRules()]);
  const problems = results.flatMap((result) => result.problems);
  for (const problem of problems) console.error(`boundary canary: ${problem}`);
  if (problems.length > 0) process.exit(1);
  console.log(`${results.reduce((sum, { count }) => sum + count, 0)} broken rules, every one caught`);
}
