import { Secret } from '@agent-wallet/kernel';
import { openTestCopy, type TestConnection, type TestDatabase } from '@agent-wallet/testing';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { createLogger } from '../log/logger.js';
import { type Database, type DatabaseOptions, openDatabase } from '../postgres/database.js';
import { migrate } from '../postgres/migrate.js';
import { readSchemaFiles } from '../postgres/schema-files.js';
import { acceptFunctions } from '../postgres/schema-functions.js';

/** The logger of a test that reads no log. */
export const silent = createLogger('test', 'silent');

/** The roles of schemas, and of the owners of those that are owned apart. */
type Role<Schema extends string, Apart extends string> = Schema | `${Apart}_owner`;

/** A schema, and where its `migrations` and `functions` lie. */
export interface TestSchema<Schema extends string> {
  readonly schema: Schema;
  readonly directory: Parameters<typeof migrate>[1];
}

/** Additions to a migrated database besides its schemas. */
export interface MigratedOptions<Schema extends string, Apart extends string> {
  /** Schemas that belong to `<schema>_owner`, who migrates them, not to the role of their own name. */
  readonly ownedApart?: readonly Apart[];
  /** SQL that a superuser runs after the migrations; it gets the names of the roles. */
  readonly grants?: (roles: Readonly<Record<Role<Schema, Apart>, string>>) => string;
}

/**
 * Makes a test database whose schemas are migrated: a copy of one that is migrated once for all test files. Its roles are
 * shared by these copies: a test that changes a role opens an empty database with `openTestDatabase` and migrates that.
 *
 * @example
 * const test = await openMigratedDatabase([policyMigrations]);
 * const database = openTestSchema(test.schemas.policy, 'policy');
 */
export async function openMigratedDatabase<const Schema extends string, const Apart extends Schema = never>(
  schemas: readonly TestSchema<Schema>[],
  { ownedApart = [], grants }: MigratedOptions<Schema, Apart> = {},
): Promise<TestDatabase<Role<Schema, Apart>>> {
  const names = schemas.map(({ schema }) => schema);
  return openTestCopy<Schema, Apart>(
    { schemas: names, ownedApart },
    {
      key: await keyOf(schemas, [...ownedApart, String(grants)]),
      fill: async (test) => {
        for (const { schema, directory } of schemas) {
          const isApart = (ownedApart as readonly string[]).includes(schema);
          const owner = (isApart ? `${schema}_owner` : schema) as Role<Schema, Apart>;
          const database = openTestSchema(test.schemas[owner], schema);
          await migrate(database, directory).finally(() => database.close());
        }
        if (grants) await asSuperuser(test.connection, (admin) => admin.query(grants(userNames(test.schemas))));
      },
    },
  );
}

/** Opens a schema of a test database as one of its roles. */
export function openTestSchema(
  login: TestConnection,
  schema: string,
  options: Partial<DatabaseOptions> = {},
): Database {
  const connection = { ...login, password: new Secret(login.password) };
  return openDatabase({ connection, schema, logger: silent, ...options });
}

/** Opens a schema of a test database as its superuser, made first where it is missing. */
export async function openSchema({ connection }: Pick<TestDatabase, 'connection'>, schema: string): Promise<Database> {
  const database = openTestSchema(connection, schema);
  await database.pool.query(`create schema if not exists ${schema}`);
  return database;
}

/**
 * Makes `now()` of a schema another expression of SQL, such as `clock_timestamp() + interval '1 day'`, which the check of the
 * schema's functions accepts from then on.
 * @param superuser of the test's own database
 */
export async function setClock(superuser: TestConnection, schema: string, expression: string): Promise<void> {
  await asSuperuser(superuser, async (admin) => {
    // The catalogue's texts depend on it.
    await admin.query(`begin; set local search_path = ${pg.escapeIdentifier(schema)}`);
    await admin.query(
      `create or replace function now() returns timestamptz language sql volatile as $$ select ${expression} $$`,
    );
    const { rows } = await admin.query<{ owner: string }>(
      'select nspowner::regrole::text as owner from pg_namespace where nspname = $1',
      [schema],
    );
    await admin.query(`alter function ${pg.escapeIdentifier(schema)}.now() owner to ${rows[0]!.owner}`);
    await acceptFunctions(admin, schema);
    await admin.query('commit');
  });
}

async function asSuperuser(connection: TestConnection, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client(connection);
  await admin.connect();
  await work(admin).finally(() => admin.end());
}

function userNames<Name extends string>(logins: Readonly<Record<Name, TestConnection>>): Record<Name, string> {
  const names = Object.entries<TestConnection>(logins).map(([name, { user }]) => [name, user]);
  return Object.fromEntries(names) as Record<Name, string>;
}

async function keyOf(schemas: readonly TestSchema<string>[], others: readonly string[]): Promise<string> {
  const files = schemas.map(async ({ schema, directory }) => {
    const { migrations, functionsChecksum } = await readSchemaFiles(directory);
    return [schema, ...migrations.map(({ name, checksum }) => `${name} ${checksum}`), functionsChecksum];
  });
  const text = JSON.stringify([await Promise.all(files), others]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
