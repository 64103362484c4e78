import { setTimeout as sleep } from 'node:timers/promises';
import { clusterExists } from './cluster.js';
import type { RunningPostgres } from './launch.js';
import { servesCluster } from './postmaster.js';

/** Told that Postgres ended, that it does not start, and that it runs again; a pino logger fits. */
export interface RestartLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** An adopted Postgres is no child of ours, so nothing tells when it ends. */
const POLL_EVERY_MS = 250;
const RETRY_MS = 1_000;

/**
 * Starts Postgres again whenever it ends by itself, and tries on until it does. `end` stops that and answers which
 * Postgres runs, or ran last.
 */
export function keepRunning(
  first: RunningPostgres,
  log: RestartLog,
  start: (signal: AbortSignal) => Promise<RunningPostgres>,
): { end(): Promise<RunningPostgres> } {
  const ending = new AbortController();
  const { signal } = ending;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  let current = first;
  const startAgain = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        // A start would make an empty one in its place.
        if (!clusterExists(current.cluster)) throw new Error(`the database's files are gone: ${current.cluster}`);
        current = await start(signal);
        return log.warn({ pid: current.pid }, 'Postgres runs again');
      } catch (err) {
        if (!signal.aborted) log.error({ err }, 'Postgres does not start; it will be tried again');
      }
      await pause(RETRY_MS);
    }
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      await pause(POLL_EVERY_MS);
      if (signal.aborted) return;
      if (servesCluster(current.pid, current.cluster)) continue;
      log.error({ pid: current.pid }, 'Postgres ended by itself; starting it again');
      await startAgain();
    }
  };
  const watched = watch();
  return {
    end: async () => {
      ending.abort();
      await watched;
      return current;
    },
  };
}
