import { setTimeout as sleep } from 'node:timers/promises';
import { clusterExists } from './cluster.js';
import type { RunningPostgres } from './launch.js';
import { servesCluster } from './postmaster.js';

/** Log of Postgres' exits and restarts; a service's logger fits. */
export interface RestartLog {
  warn(fields: { readonly event: 'postgres.restarted'; readonly pid: number }, message: string): void;
  error(
    fields: { readonly event: 'postgres.exited' | 'postgres.start_failed'; readonly [field: string]: unknown },
    message: string,
  ): void;
}

/** An adopted Postgres is not a child process, so no event announces its end. */
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
        return log.warn({ event: 'postgres.restarted', pid: current.pid }, 'Postgres restarted');
      } catch (err) {
        if (!signal.aborted) log.error({ event: 'postgres.start_failed', err }, 'Postgres did not start; retrying');
      }
      await pause(RETRY_MS);
    }
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      await pause(POLL_EVERY_MS);
      if (signal.aborted) return;
      if (servesCluster(current.pid, current.cluster)) continue;
      log.error({ event: 'postgres.exited', pid: current.pid }, 'Postgres exited; restarting it');
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
