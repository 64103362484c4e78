import type { Surroundings } from './context.js';

/** Returns the surroundings of this process with its environment. */
export function surroundingsOf(env: Surroundings['env']): Surroundings {
  return {
    env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    nowMs: () => performance.timeOrigin + performance.now(),
    onInterrupt: (interrupted) => {
      process.once('SIGINT', interrupted);
      return () => void process.off('SIGINT', interrupted);
    },
  };
}
