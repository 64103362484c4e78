import { createLogger, openDatabase, readSettings, setting, SettingsError } from '@agent-wallet/platform';
import { parseArgs } from 'node:util';
import { PostgresRebuildStore } from './adapters/postgres-rebuild-store.js';
import { RebuildHistory } from './application/rebuild-history.js';

const HELP = `Usage: npm run history:rebuild -- [options]

Rebuilds what agents read of their history from the log of events, beside the tables in use, and puts it in their place
in one step. The service may run meanwhile; readers see the old tables or the new ones. A rebuild that was interrupted
goes on where it was.

  --dry-run   only compares, and prints where the tables in use differ from the log; exit code 1 when they do
  --restart   starts again, without what an interrupted rebuild has left
  --help      this text

Settings (environment):
  DATABASE_URL             the database, as the role that owns the schema "history" (history_owner)
  DATABASE_PASSWORD_PATH   a file with its password, where the URL has none`;

const CONNECTIONS = 3;

/** Runs the command. @returns the exit code */
async function main(args: readonly string[], report: (line: string) => void): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'dry-run': { type: 'boolean', default: false },
      restart: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    report(HELP);
    return 0;
  }
  const { DATABASE_URL, DATABASE_PASSWORD_PATH } = readSettings({
    DATABASE_URL: setting.postgres(),
    DATABASE_PASSWORD_PATH: setting.path().optional(),
  });
  const logger = createLogger('history-rebuild', 'warn');
  const database = openDatabase({
    connection: { ...DATABASE_URL, passwordPath: DATABASE_PASSWORD_PATH },
    schema: 'history',
    logger,
    maxConnections: CONNECTIONS,
    responseTimeoutMs: 0,
  });
  try {
    const options = { isDryRun: values['dry-run'], isFresh: values.restart, report };
    const differences = await new RebuildHistory(new PostgresRebuildStore(database)).execute(options);
    for (const { table, row, problem } of differences) report(`${table} ${row}: ${problem}`);
    if (values['dry-run']) report(differences.length === 0 ? 'nothing differs' : 'the tables differ from the log');
    else report('the new tables are in use');
    return differences.length === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
}

/** Returns whether an error is about wrong settings or options, which are reported without a stack. */
function isForPeople(error: unknown): error is Error {
  if (error instanceof SettingsError) return true;
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

process.exitCode = await main(process.argv.slice(2), (line) => void process.stdout.write(`${line}\n`)).catch(
  (error: unknown) => {
    process.stderr.write(`${isForPeople(error) ? error.message : (error as Error).stack}\n`);
    return 1;
  },
);
