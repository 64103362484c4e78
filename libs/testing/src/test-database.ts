import { createSchemas, type RoleName, type SchemaOwner } from '@agent-wallet/embedded';
import { Secret } from '@agent-wallet/kernel';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { dropTestDatabases, leaseTestServer, TEST_DATABASE_PREFIX } from './test-server.js';

/** How to reach a test database as one role. */
export interface TestConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** An empty database of one test file. */
export interface TestDatabase<Role extends string = never> {
  /** Reaches it as the superuser. */
  readonly connection: TestConnection;
  /** Reaches it as the role of a schema, which sees no other schema, as services do in production. */
  readonly schemas: Readonly<Record<Role, TestConnection>>;
  /** Drops it, whoever is still connected. */
  close(): Promise<void>;
}

/**
 * Makes an empty database with a name of its own in the Postgres that all tests share, with a schema and its owner for
 * each name given. A schema in `ownedApart` belongs to `<schema>_owner`, not to the role of its own name.
 *
 * @example
 * let database: TestDatabase<'policy'>;
 * beforeAll(async () => { database = await openTestDatabase(['policy']); });
 * afterAll(() => database.close());
 */
export async function openTestDatabase<Schema extends string = never, Apart extends Schema = never>(
  schemas: readonly Schema[] = [],
  ownedApart: readonly Apart[] = [],
): Promise<TestDatabase<RoleName<Schema, Apart>>> {
  const { server, lease } = await leaseTestServer();
  const name = `${TEST_DATABASE_PREFIX}${randomUUID().replaceAll('-', '')}`;
  const { host, port, user } = server;
  const connection = { host, port, user, password: server.password.reveal(), database: name };
  const owners = schemas.map((schema) => ownerOf(name, schema, (ownedApart as readonly string[]).includes(schema)));
  try {
    // Copying files is three times as fast as logging their pages, and nobody is ever connected to template0.
    await lease.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE template0 STRATEGY FILE_COPY`);
    if (owners.length > 0) {
      const admin = new pg.Client(connection);
      await admin.connect();
      await createSchemas(admin, owners).finally(() => admin.end());
    }
  } catch (error) {
    await lease.end();
    throw error;
  }
  const logins = owners.flatMap(({ user, ...owner }) => (user ? [owner, user] : [owner]));
  const byRole = logins.map(({ role, password }) => [
    role.slice(name.length + 1),
    { ...connection, user: role, password: password.reveal() },
  ]);
  return {
    connection,
    schemas: Object.fromEntries(byRole) as Record<RoleName<Schema, Apart>, TestConnection>,
    close: async () => {
      await dropTestDatabases(lease, name);
      await lease.end();
    },
  };
}

/** Roles belong to the whole server, so theirs begin with the database's name. */
function ownerOf(database: string, schema: string, isApart: boolean): SchemaOwner {
  const login = (role: string) => ({ role: `${database}_${role}`, password: new Secret(randomUUID()) });
  return isApart ? { schema, ...login(`${schema}_owner`), user: login(schema) } : { schema, ...login(schema) };
}
