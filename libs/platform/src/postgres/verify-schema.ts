import { sleep } from '@agent-wallet/kernel';
import type { Logger } from '../log/logger.js';
import type { PostgresConnection } from '../settings/postgres-connection.js';
import { type Database, isDatabaseUnavailable, openDatabase } from './database.js';
import { missingMigrations } from './migrate.js';
import type { SchemaDirectory } from './schema-files.js';

const POLL_EVERY_MS = 500;
/** Time that a database may be unavailable at the start of a service. */
const AWAITED_MS = 30_000;

/** Postgres' errors for a missing table or schema. */
const NOT_THERE: readonly unknown[] = ['42P01', '3F000'];

/** A service's schema, as its own role sees it. */
export interface VerifiedSchema {
  readonly connection: PostgresConnection;
  readonly schema: string;
  readonly directory: SchemaDirectory;
  readonly logger: Logger;
}

/**
 * Verifies that the schema suits this program, before the service does anything else with its database. Every way of
 * starting a service calls this.
 * @throws Error when migrations are missing, when the functions are not those of its files or a newer version's, and when
 *   they were edited in the database; when the database stays away
 */
export async function verifySchema({ connection, schema, directory, logger }: VerifiedSchema): Promise<void> {
  const database = openDatabase({ connection, schema, logger, maxConnections: 1 });
  try {
    const missing = await onceThere(database, directory, logger);
    if (missing.length === 0) return;
    throw new Error(
      `the schema ${schema} is not that of this program: ${missing.join(', ')}. ` +
        'Run its migrations, of this version, before the service; --help of migrate.js says how',
    );
  } finally {
    await database.close();
  }
}

async function onceThere(database: Database, directory: SchemaDirectory, logger: Logger): Promise<string[]> {
  const untilMs = performance.now() + AWAITED_MS;
  for (;;) {
    try {
      return await missingMigrations(database, directory);
    } catch (error) {
      if (NOT_THERE.includes((error as { code?: unknown }).code)) return ['it was never migrated'];
      if (!isDatabaseUnavailable(error) || performance.now() > untilMs) throw error;
      logger.info({ event: 'database.awaited', reason: (error as Error).message }, 'Waiting for the database');
      await sleep(POLL_EVERY_MS);
    }
  }
}
