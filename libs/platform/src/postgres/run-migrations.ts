import { sleep } from '@agent-wallet/kernel';
import { parseArgs } from 'node:util';
import { createLogger, type Logger } from '../log/logger.js';
import { setting } from '../settings/kinds.js';
import { readSettings, SettingsError } from '../settings/read-settings.js';
import { type Database, isDatabaseUnavailable, openDatabase } from './database.js';
import { migrate, missingMigrations } from './migrate.js';
import type { SchemaDirectory } from './schema-files.js';

// An entry of its own: what migrates needs no gRPC and no framework.

/** A schema, and the directories of its `migrations`, `functions` and `triggers`. */
export interface SchemaMigrations {
  readonly schema: string;
  readonly directory: SchemaDirectory;
}

const POLL_EVERY_MS = 1_000;

/** Time that a database may be unavailable, or lack the role, before that is an error. */
const AWAITED_MS = 60_000;

/** Postgres' login errors before the role or the database exists. */
const NOT_MADE_YET: readonly unknown[] = ['28P01', '28000', '3D000'];

const OPTIONS = {
  wait: { type: 'boolean' },
  'overwrite-functions': { type: 'boolean' },
  'allow-older-functions': { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const HELP = `Brings a schema up to date: applies its migrations, and makes its functions and triggers those of the files.

  --wait                   changes nothing: waits until the schema suits this program
  --overwrite-functions    replaces functions that were changed in the database
  --allow-older-functions  puts this version's functions back although a newer version has replaced them
  --help                   prints this

DATABASE_URL names the database and the role that owns the schema, DATABASE_PASSWORD_PATH the file with its password.
`;

/**
 * Runs the migrations; the body of every `migrate.ts`. Applies missing ones as the role in DATABASE_URL, which owns the
 * schema; `--help` lists the options. Exits with 1 on failure.
 * @param finish runs after the migrations, on the same database
 * @param args the command line
 */
export async function runMigrations(
  migrations: SchemaMigrations,
  finish?: (database: Database) => Promise<void>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  try {
    await migrateOrWait(migrations, finish, args);
  } catch (error) {
    const said = error instanceof SettingsError ? error.message : describe(error);
    process.stderr.write(`${said}\n`);
    process.exitCode = 1;
  }
}

/** Describes an error with its causes: the first one names the statement. */
function describe(error: unknown): string {
  const { stack, cause } = error as Error;
  return [stack ?? String(error), ...(cause === undefined ? [] : [`Caused by: ${describe(cause)}`])].join('\n');
}

async function migrateOrWait(
  { schema, directory }: SchemaMigrations,
  finish: ((database: Database) => Promise<void>) | undefined,
  args: readonly string[],
): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS, args: [...args] });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const { DATABASE_URL, DATABASE_PASSWORD_PATH, LOG_LEVEL } = readSettings({
    DATABASE_URL: setting.postgres(),
    DATABASE_PASSWORD_PATH: setting.path().optional(),
    LOG_LEVEL: setting.text().default('info'),
  });
  const logger = createLogger(`migrate-${schema}`, LOG_LEVEL);
  const connection = { ...DATABASE_URL, passwordPath: DATABASE_PASSWORD_PATH };
  const database = openDatabase({ connection, schema, logger, maxConnections: 2, responseTimeoutMs: 0 });
  const options = {
    overwriteFunctions: values['overwrite-functions'] ?? false,
    allowOlderFunctions: values['allow-older-functions'] ?? false,
    onWait: (reason: string) =>
      logger.warn({ event: 'migration.blocked', schema, reason }, 'Migration waits for locks of services; retrying'),
  };
  try {
    if (values.wait) return await waitFor(database, directory, logger);
    const applied = await onceThere(() => migrate(database, directory, options), logger);
    logger.info({ event: 'schema.migrated', schema, applied }, 'Schema up to date');
    await finish?.(database);
  } finally {
    await database.close();
  }
}

/** Migrations are often started together with the database and with what makes its roles. */
async function onceThere<T>(work: () => Promise<T>, logger: Logger): Promise<T> {
  const untilMs = performance.now() + AWAITED_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isEarly = isDatabaseUnavailable(error) || NOT_MADE_YET.includes((error as { code?: unknown }).code);
      if (!isEarly || performance.now() > untilMs) throw error;
      logger.info({ event: 'database.awaited', reason: (error as Error).message }, 'Waiting for the database');
      await sleep(POLL_EVERY_MS);
    }
  }
}

/** Waits for as long as it takes; the log says for what. */
async function waitFor(database: Database, directory: SchemaDirectory, logger: Logger): Promise<void> {
  let said: string | undefined;
  for (;;) {
    const waitsFor = await missingMigrations(database, directory).then(
      (missing) => missing.join(', '),
      (error: unknown) => (error as Error).message,
    );
    if (waitsFor === '') return;
    if (waitsFor !== said) logger.info({ event: 'schema.awaited', reason: waitsFor }, 'Waiting for the schema');
    said = waitsFor;
    await sleep(POLL_EVERY_MS);
  }
}
