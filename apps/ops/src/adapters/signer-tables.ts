import type { PostgresConnection } from '@agent-wallet/platform';
import pg from 'pg';

const PAGE = 1_000;

/** Tables of a backup, in the order in which rows can be added. */
const TABLES = ['data_keys', 'data_key_seals', 'keys', 'boots'];

/** Tables that running processes create again. */
const PASSING = ['replicas', 'schema_migrations', 'schema_functions', 'schema_triggers'];

/** Header of a backup. */
export interface BackupHeader {
  readonly schema: string;
  /** The migrations that its tables have seen. */
  readonly migrations: readonly string[];
}

/** A part of a table. */
export interface BackupPage {
  readonly table: string;
  readonly rows: readonly object[];
}

/** The signer's tables in one transaction. */
export class SignerTables {
  private constructor(
    private readonly client: pg.Client,
    private readonly schema: string,
  ) {}

  /** Works in one snapshot; what it writes is kept if the work ends well, and not at all otherwise. */
  static async work<Result>(
    connection: PostgresConnection,
    schema: string,
    work: (tables: SignerTables) => Promise<Result>,
  ): Promise<Result> {
    const { host, port, user, password, database, tls } = connection;
    const ssl = tls ? { rejectUnauthorized: true } : false;
    const client = new pg.Client({ host, port, user, password: password.reveal(), database, ssl });
    await client.connect();
    try {
      await client.query('begin isolation level repeatable read');
      await client.query("select set_config('search_path', $1, true)", [pg.escapeIdentifier(schema)]);
      const result = await work(new SignerTables(client, schema));
      await client.query('commit');
      return result;
    } finally {
      await client.end();
    }
  }

  /** Tables that neither belong to a backup nor are created again: a backup without them would not be whole. */
  async unknownTables(): Promise<readonly string[]> {
    const text = `select table_name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE'`;
    const { rows } = await this.client.query<{ table_name: string }>(text, [this.schema]);
    return rows.map(({ table_name }) => table_name).filter((name) => ![...TABLES, ...PASSING].includes(name));
  }

  async header(): Promise<BackupHeader> {
    const text = 'select name from schema_migrations order by 1';
    const { rows } = await this.client.query<{ name: string }>(text);
    return { schema: this.schema, migrations: rows.map(({ name }) => name) };
  }

  async *pages(): AsyncGenerator<BackupPage> {
    for (const table of TABLES) {
      await this.client.query(`declare pages no scroll cursor for select to_json(t) as row from ${table} as t`);
      for (;;) {
        const { rows } = await this.client.query<{ row: object }>(`fetch ${PAGE} from pages`);
        if (rows.length === 0) break;
        yield { table, rows: rows.map(({ row }) => row) };
      }
      await this.client.query('close pages');
    }
  }

  /** Tables in which there is something. */
  async filled(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const table of TABLES) {
      await this.client.query(`lock table ${table} in share row exclusive mode`);
      if ((await this.client.query(`select from ${table} limit 1`)).rowCount) found.push(table);
    }
    return found;
  }

  async add({ table, rows }: BackupPage): Promise<void> {
    if (!TABLES.includes(table)) throw new Error(`the backup has a table ${table}`);
    await this.client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
      JSON.stringify(rows),
    ]);
  }
}
