import { createSchemas, type RoleName, type SchemaOwner } from '@agent-wallet/embedded';
import { Secret } from '@agent-wallet/kernel';
import { createHmac, randomUUID } from 'node:crypto';
import pg from 'pg';
import { dropTestDatabases, leaseTestServer, TEST_DATABASE_PREFIX } from './test-server.js';

/** Connection to a test database as one role. */
export interface TestConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** A database of one test file. */
export interface TestDatabase<Role extends string = never> {
  /** Reaches it as the superuser. */
  readonly connection: TestConnection;
  /** Reaches it as the role of a schema, which sees no other schema, as services do in production. */
  readonly schemas: Readonly<Record<Role, TestConnection>>;
  /** Drops it, even with sessions open. */
  close(): Promise<void>;
}

/** Initial content of a database. */
export interface TestTemplate<Role extends string> {
  /** Names the content: databases with equal keys and schemas start equal. */
  readonly key: string;
  /** Fills the first database; all others are copies of it. Closes what it opens. */
  fill(database: Omit<TestDatabase<Role>, 'close'>): Promise<void>;
}

/** Schemas to make, and what is in them. */
export interface TestDatabaseOptions<Schema extends string, Apart extends string> {
  readonly schemas: readonly Schema[];
  /** Schemas that belong to `<schema>_owner`, not to the role of their own name. */
  readonly ownedApart: readonly Apart[];
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
  return openDatabase(async (server) => {
    const place = server.place<Schema, Apart>({ schemas, ownedApart }, `${server.name}_`, () => randomUUID());
    await createFrom(server.lease, 'template0', server.name);
    if (schemas.length > 0) await withAdmin(place.connection, (admin) => createSchemas(admin, place.owners));
    return place;
  });
}

/**
 * Makes a database that is a copy of a template, which the first caller fills and all test files share. The roles of such
 * databases are shared, too: a test that changes a role, or ends its sessions, opens an empty database instead.
 */
export async function openTestCopy<Schema extends string, Apart extends Schema = never>(
  options: TestDatabaseOptions<Schema, Apart>,
  template: TestTemplate<RoleName<Schema, Apart>>,
): Promise<TestDatabase<RoleName<Schema, Apart>>> {
  return openDatabase(async (server) => {
    const passwordOf = (role: string) => createHmac('sha256', server.admin.password).update(role).digest('base64url');
    const placeIn = (name: string) => server.place<Schema, Apart>(options, SHARED_ROLES, passwordOf, name);
    const from = await templateFor(server.lease, template.key, async (name) => {
      const place = placeIn(name);
      await withAdmin(place.connection, (admin) => createSchemas(admin, place.owners));
      await template.fill(place);
    });
    const place = placeIn(server.name);
    await createFrom(server.lease, from, server.name);
    await server.lease.query(place.owners.flatMap(searchPathsOf(server.name)).join('; '));
    return place;
  });
}

const SHARED_ROLES = `${TEST_DATABASE_PREFIX}shared_`;
/** One process at a time fills a template. */
const TEMPLATE_LOCK = 7_214_015;

interface Place<Role extends string> extends Omit<TestDatabase<Role>, 'close'> {
  readonly owners: readonly SchemaOwner[];
}

class ServerLease {
  readonly name = `${TEST_DATABASE_PREFIX}${randomUUID().replaceAll('-', '')}`;

  constructor(
    readonly lease: pg.Client,
    readonly admin: Omit<TestConnection, 'database'>,
  ) {}

  /**
   * Returns the roles of a database's schemas, and the connection of each. Roles belong to the server, hence their
   * prefix.
   */
  place<Schema extends string, Apart extends string>(
    { schemas, ownedApart }: TestDatabaseOptions<Schema, Apart>,
    prefix: string,
    passwordOf: (role: string) => string,
    database = this.name,
  ): Place<RoleName<Schema, Apart>> {
    const login = (name: string) => ({ role: `${prefix}${name}`, password: new Secret(passwordOf(name)) });
    const owners = schemas.map((schema): SchemaOwner =>
      (ownedApart as readonly string[]).includes(schema)
        ? { schema, ...login(`${schema}_owner`), user: login(schema) }
        : { schema, ...login(schema) },
    );
    const connection = { ...this.admin, database };
    const logins = owners.flatMap(({ user, ...owner }) => (user ? [owner, user] : [owner]));
    const byRole = logins.map(({ role, password }) => [
      role.slice(prefix.length),
      { ...connection, user: role, password: password.reveal() },
    ]);
    const connections = Object.fromEntries(byRole) as Record<RoleName<Schema, Apart>, TestConnection>;
    return { connection, schemas: connections, owners };
  }
}

async function openDatabase<Role extends string>(
  make: (server: ServerLease) => Promise<Place<Role>>,
): Promise<TestDatabase<Role>> {
  const { server, lease } = await leaseTestServer();
  const { host, port, user } = server;
  const leased = new ServerLease(lease, { host, port, user, password: server.password.reveal() });
  try {
    const { connection, schemas } = await make(leased);
    const close = async () => {
      await dropTestDatabases(lease, leased.name);
      await lease.end();
    };
    return { connection, schemas, close };
  } catch (error) {
    await lease.end();
    throw error;
  }
}

/** Returns the name of the template of a key. The first caller fills it, while the others wait. */
async function templateFor(lease: pg.Client, key: string, fill: (name: string) => Promise<void>): Promise<string> {
  const name = `${TEST_DATABASE_PREFIX}template_${key}`;
  const isThere = async () => (await lease.query('SELECT FROM pg_database WHERE datname = $1', [name])).rowCount === 1;
  if (await isThere()) return name;
  await lease.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await isThere()) return name;
    // One that was not filled to its end is never used.
    const unfinished = `${name}_new`;
    await dropTestDatabases(lease, unfinished);
    await createFrom(lease, 'template0', unfinished);
    await fill(unfinished);
    await lease.query(`ALTER DATABASE ${pg.escapeIdentifier(unfinished)} RENAME TO ${pg.escapeIdentifier(name)}`);
    return name;
  } finally {
    await lease.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

/**
 * Creates a database from a template. A template never has a connection, and copying files is three times as fast as
 * logging their pages.
 */
async function createFrom(lease: pg.Client, template: string, name: string): Promise<void> {
  const [from, to] = [template, name].map((each) => pg.escapeIdentifier(each));
  await lease.query(`CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY FILE_COPY`);
}

/** Returns statements that set search paths. A copy has its template's content, but no setting of a role. */
function searchPathsOf(database: string) {
  return ({ schema, role, user }: SchemaOwner): string[] =>
    [role, ...(user ? [user.role] : [])].map((each) => {
      const [roleName, databaseName, path] = [each, database, schema].map((name) => pg.escapeIdentifier(name));
      return `ALTER ROLE ${roleName} IN DATABASE ${databaseName} SET search_path = ${path}`;
    });
}

async function withAdmin(connection: TestConnection, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client(connection);
  await admin.connect();
  await work(admin).finally(() => admin.end());
}
