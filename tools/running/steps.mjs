// A list of things to do, each named, timed, and silent unless it fails.
import { run } from './process.mjs';

/** A step that runs a command and passes when that exits with 0. */
export function commandStep(name, command, options) {
  return {
    name,
    work: async () => {
      const { code, output } = await run(command(), { ...options, capture: true });
      if (code !== 0) throw new Error(output);
    },
  };
}

/**
 * Runs steps, some at a time, and prints what became of each: a step fails by throwing, and may return a remark.
 * Resolves to the names of those that failed.
 */
export async function runSteps(steps, { atOnce = 1 } = {}) {
  const waiting = [...steps];
  const failed = [];
  const worker = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const startedAtMs = performance.now();
      const seconds = () => `${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`;
      try {
        const remark = await step.work();
        console.log(`ok    ${step.name} (${seconds()})${remark ? `: ${remark}` : ''}`);
      } catch (error) {
        failed.push(step.name);
        console.error(`WRONG ${step.name} (${seconds()})\n${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return failed;
}
