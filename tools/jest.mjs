#!/usr/bin/env node
// Runs Jest from the workspace root, called from any folder; takes Jest's own arguments.
import { installed, isMain, run } from './running/process.mjs';

/** Runs Jest as `run` does. */
export function jest(args, options) {
  const [node, program] = installed('jest');
  return run([node, '--no-warnings', program, ...args], options);
}

if (isMain(import.meta)) process.exit((await jest(process.argv.slice(2))).code);
