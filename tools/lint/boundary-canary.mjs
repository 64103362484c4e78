#!/usr/bin/env node
// Breaks every rule of .dependency-cruiser.cjs and .oxlintrc.json on purpose, in files apart. Fails when one is not caught,
// or when what is allowed is.
import { isMain } from '../running/process.mjs';
import { missedByCodeRules } from './code-canary.mjs';
import { missedByCruiser } from './cruiser-canary.mjs';

if (isMain(import.meta)) {
  const results = await Promise.all([missedByCruiser(), missedByCodeRules()]);
  const problems = results.flatMap((result) => result.problems);
  for (const problem of problems) console.error(`boundary canary: ${problem}`);
  if (problems.length > 0) process.exit(1);
  console.log(`${results.reduce((sum, { count }) => sum + count, 0)} broken rules, every one caught`);
}
