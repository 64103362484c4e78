import type { Surroundings } from './context.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Lets the program go on when its remarks have no reader. */
const ignore = () => undefined;

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
    // Opens stdin for the commands alone that read it.
    get input() {
      return process.stdin;
    },
    onStop: (stopped) => {
      for (const signal of STOP_SIGNALS) process.on(signal, stopped);
      process.stdout.on('error', stopped);
      process.stderr.on('error', ignore);
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, stopped);
      };
    },
  };
}
