#!/usr/bin/env node
// Runs Jest from the workspace root, called from any folder; takes Jest's own arguments. A file that they name runs in any
// lane.
import { laneToRun } from './jest/lanes.mjs';
import { installed, isMain, run } from './running/process.mjs';

/** Runs Jest as `run` does. */
export function jest(args, options) {
  const [node, program] = installed('jest');
  const lane = process.env.TEST_LANE ?? laneToRun(args);
  const env = { ...(lane && { TEST_LANE: lane }), ...options?.env };
  return run([node, '--no-warnings', program, ...args], { ...options, env });
}

if (isMain(import.meta)) process.exit((await jest(process.argv.slice(2))).code);
