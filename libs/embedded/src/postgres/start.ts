import { Secret } from '@agent-wallet/kernel';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { PostgresConnection } from './connection.js';
import { keepRunning, type RestartLog } from './keep-running.js';
import { type Durability, HOST, runPostgres, SUPERUSER } from './launch.js';
import { claimDirectory } from './ownership.js';
import { stopPostmaster } from './postmaster.js';

/** Options of an embedded Postgres. */
export interface EmbeddedPostgresOptions {
  /** The directory of everything this Postgres keeps; made when it is missing. */
  readonly dataDir: string;
  /** A free port by default; the one in use when a running Postgres is adopted. */
  readonly port?: number;
  readonly durability?: Durability;
  /** Log of restarts. When given, a Postgres that ends by itself is restarted at the same port until it is stopped. */
  readonly keepRunning?: RestartLog;
  /** Called whenever a program was started on the directory, which is ours then: for what can be done meanwhile. */
  readonly launched?: () => void;
}

/** A running Postgres, reached as its superuser. */
export interface EmbeddedPostgres extends PostgresConnection {
  readonly dataDir: string;
  /** Stops Postgres and frees the data directory. */
  stop(): Promise<void>;
  /** Frees the data directory and leaves Postgres running, for the next launcher to adopt. */
  detach(): void;
}

/**
 * Starts a real Postgres on the data directory, or adopts the one that a killed process left running there. Passwords
 * are made up at the first start and kept in the data directory. Throws DataDirectoryInUse when another living process
 * runs this directory.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  // Without a mode: it would be given to every parent that is made, too, and shut Postgres' account out.
  mkdirSync(dataDir, { recursive: true });
  const release = claimDirectory(dataDir);
  try {
    const first = await runPostgres(dataDir, options);
    const { port, password } = first;
    const keeper =
      options.keepRunning &&
      keepRunning(first, options.keepRunning, (signal) => runPostgres(dataDir, { ...options, port, signal }));
    return {
      dataDir,
      host: HOST,
      port,
      user: SUPERUSER,
      password: new Secret(password),
      database: 'postgres',
      stop: async () => {
        const { pid, cluster } = (await keeper?.end()) ?? first;
        await stopPostmaster(pid, cluster);
        release();
      },
      detach: () => {
        void keeper?.end();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}
