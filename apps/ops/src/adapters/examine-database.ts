import { createLogger, missingMigrations, openDatabase, type PostgresConnection } from '@agent-wallet/platform';

/** State of a database, as a service's role sees it. */
export interface DatabaseState {
  /** Number of the server's version: 180001 for 18.1. */
  readonly version: number;
  /** Time of the server, Unix milliseconds. */
  readonly nowMs: number;
  /** Schemas of services that the role may use, and the migrations that each lacks. */
  readonly schemas: ReadonlyArray<{ readonly schema: string; readonly missing: readonly string[] }>;
}

interface ServerRow {
  readonly version: number;
  readonly now_ms: string;
}

const SERVER = `select current_setting('server_version_num')::integer as version,
                       floor(extract(epoch from clock_timestamp()) * 1000)::text as now_ms`;

const SCHEMAS = `select n.nspname as schema from pg_namespace n join pg_class c on c.relnamespace = n.oid
                 where n.nspname = any($1) and c.relname = 'schema_migrations' and has_table_privilege(c.oid, 'select')
                   and has_schema_privilege(n.oid, 'usage')
                 order by 1`;

/** Reads the state of a database. @throws Error when it does not let the role connect */
export async function examineDatabase(
  connection: PostgresConnection,
  directories: ReadonlyMap<string, readonly string[]>,
): Promise<DatabaseState> {
  const logger = createLogger('doctor', 'silent');
  const open = (schema: string) => openDatabase({ connection, schema, logger, maxConnections: 1 });
  const database = open('pg_catalog');
  try {
    const [server] = (await database.pool.query<ServerRow>(SERVER)).rows;
    const { rows } = await database.pool.query<{ schema: string }>(SCHEMAS, [[...directories.keys()]]);
    const schemas = [];
    for (const { schema } of rows) {
      const own = open(schema);
      try {
        schemas.push({ schema, missing: await missingMigrations(own, directories.get(schema)!) });
      } finally {
        await own.close();
      }
    }
    return { version: server!.version, nowMs: Number(server!.now_ms), schemas };
  } finally {
    await database.close();
  }
}
