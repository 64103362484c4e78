import type { Surroundings } from './context.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Lets the program go on when its remarks have no reader. */
const ignore = () => undefined;

/** Returns the surroundings of this process with its environment. */
export function surroundingsOf(env: Surroundings['env']): Surroundings {
  let failure: Error | undefined;
  process.stdout.on('error', (error: Error) => (failure ??= error));
  process.stderr.on('error', ignore);
  return {
    env,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    out: (text) => void process.stdout.write(text),
    // A stream calls back in order, so that an empty write ends after all before it.
    written: () =>
      new Promise((resolve) => {
        process.stdout.write('', (error) => resolve(failure ?? error ?? undefined));
      }),
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
      return () => {
        for (const signal of STOP_SIGNALS) process.off(signal, stopped);
        process.stdout.off('error', stopped);
      };
    },
  };
}
