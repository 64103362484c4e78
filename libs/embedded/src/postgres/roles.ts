import { Secret } from '@agent-wallet/kernel';
import pg from 'pg';
import type { PostgresConnection } from './connection.js';
import { passwordsFor } from './passwords.js';
import type { EmbeddedPostgres } from './start.js';

/** Name of the database that all services share. */
const DATABASE = 'agent_wallet';

const CONNECT_TIMEOUT_MS = 10_000;

/** A login role. */
export interface LoginRole {
  readonly role: string;
  readonly password: Secret<string>;
}

/** A schema, and the login role that owns it. */
export interface SchemaOwner extends LoginRole {
  readonly schema: string;
  /**
   * Another role that works in the schema without owning it: it reads and writes the rows of every table that the owner
   * makes there, until the owner takes a right away. It makes, changes and truncates no table.
   */
  readonly user?: LoginRole;
}

/** Roles of services, and the owners of those schemas that their services do not own. */
export type RoleName<Service extends string, Apart extends string> = Service | `${Apart}_owner`;

/** The connection of each role. */
export type RoleConnections<Service extends string, Apart extends string> = Record<
  RoleName<Service, Apart>,
  PostgresConnection
>;

/** Whose schemas and roles to make in a database. */
export interface RolesWanted<Service extends string, Apart extends Service> {
  readonly services: readonly Service[];
  /** Services that do not own their schema: `<service>_owner` does, who migrates it. */
  readonly ownedApart: readonly Apart[];
  /** Prefix of the roles' names: roles belong to the whole server, which others may use. */
  readonly prefix: string;
  /** An existing directory that keeps the passwords, which are made up once. */
  readonly passwordsDir: string;
}

/**
 * Makes the database `agent_wallet` and in it a schema per service, owned by a login role of the same name that sees
 * no other schema and no other database. A service in `ownedApart` does not own its schema: `<service>_owner` does, who
 * migrates it. Passwords are made up once and kept in the data directory. What exists stays as it is, so every start may
 * call it.
 */
export async function createServiceRoles<Service extends string, Apart extends Service = never>(
  server: EmbeddedPostgres,
  services: readonly Service[],
  ownedApart: readonly Apart[] = [],
): Promise<RoleConnections<Service, Apart>> {
  await asAdmin(server, async (admin) => void (await createDatabase(admin)));
  const { host, port, user, password, dataDir: passwordsDir } = server;
  const admin = { host, port, user, password, database: DATABASE };
  return createRolesIn(admin, { services, ownedApart, prefix: '', passwordsDir });
}

/**
 * Makes the one database of all services on a server with a superuser's connection, and closes every
 * database there to roles without a grant. What exists stays. Resolves to its name.
 */
export async function createDatabase(admin: pg.ClientBase): Promise<string> {
  const found = await admin.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (found.rowCount === 0) await admin.query(`CREATE DATABASE ${DATABASE}`);
  await admin.query(`REVOKE ALL ON DATABASE postgres, template1, ${DATABASE} FROM PUBLIC`);
  return DATABASE;
}

/**
 * Makes a schema per service in the database of a connection, and their roles. The connection's own role is a superuser,
 * or may create roles and owns the database. What exists stays as it is, so every start may call it.
 */
export async function createRolesIn<Service extends string, Apart extends Service = never>(
  connection: PostgresConnection,
  { services, ownedApart, prefix, passwordsDir }: RolesWanted<Service, Apart>,
): Promise<RoleConnections<Service, Apart>> {
  const names = [...services, ...ownedApart.map((name) => `${name}_owner` as const)];
  const passwords = passwordsFor(passwordsDir, names);
  const roleOf = (name: (typeof names)[number]) => ({
    role: `${prefix}${name}`,
    password: new Secret(passwords[name]),
  });
  const apart: ReadonlySet<string> = new Set(ownedApart);
  const owners = services.map((schema) =>
    apart.has(schema)
      ? { schema, ...roleOf(`${schema as Apart}_owner`), user: roleOf(schema) }
      : { schema, ...roleOf(schema) },
  );
  await asAdmin(connection, (admin) => createSchemas(admin, owners));
  const connections = names.map((name) => {
    const { role: user, password } = roleOf(name);
    return [name, { ...connection, user, password }];
  });
  return Object.fromEntries(connections) as RoleConnections<Service, Apart>;
}

/**
 * Makes schemas with their owners and users through a connection of a user that may create roles and
 * schemas, and closes both to all others. What exists stays, except that every role's password becomes the given one.
 */
export async function createSchemas(admin: pg.ClientBase, owners: readonly SchemaOwner[]): Promise<void> {
  // At once: a process that waits for a role would otherwise make tables before others get their rights to them.
  await admin.query('BEGIN');
  try {
    await createEach(admin, owners);
    await admin.query('COMMIT');
  } catch (error) {
    await admin.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function createEach(admin: pg.ClientBase, owners: readonly SchemaOwner[]): Promise<void> {
  const current = await admin.query<{ name: string; rolsuper: boolean }>(
    'SELECT current_database() AS name, rolsuper FROM pg_roles WHERE rolname = current_user',
  );
  const { name, rolsuper: isSuperuser } = current.rows[0]!;
  const database = pg.escapeIdentifier(name);
  await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  for (const owner of owners) {
    const place = { database, schema: pg.escapeIdentifier(owner.schema), isSuperuser };
    await createLogin(admin, owner, place);
    await admin.query(`CREATE SCHEMA IF NOT EXISTS ${place.schema} AUTHORIZATION ${pg.escapeIdentifier(owner.role)}`);
    if (!owner.user) continue;
    await createLogin(admin, owner.user, place);
    await letUse(admin, owner.user.role, owner);
  }
}

/** Place in which a role is to work, and the privileges of its creator. */
interface LoginPlace {
  /** Escaped. */
  readonly database: string;
  /** Escaped. */
  readonly schema: string;
  readonly isSuperuser: boolean;
}

async function createLogin(admin: pg.ClientBase, login: LoginRole, place: LoginPlace): Promise<void> {
  const { database, schema, isSuperuser } = place;
  const role = pg.escapeIdentifier(login.role);
  const found = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [login.role]);
  if (found.rowCount === 0) await admin.query(`CREATE ROLE ${role}`);
  // Only a superuser may name these rights at all; a new role has none of them.
  const rights = isSuperuser ? 'NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS' : '';
  await admin.query(`ALTER ROLE ${role} LOGIN ${rights} PASSWORD ${pg.escapeLiteral(login.password.reveal())}`);
  // A user other than a superuser must be a member of the role whose schema it makes.
  if (!isSuperuser) await admin.query(`GRANT ${role} TO CURRENT_USER`);
  await admin.query(`GRANT CONNECT ON DATABASE ${database} TO ${role}`);
  await admin.query(`ALTER ROLE ${role} IN DATABASE ${database} SET search_path = ${schema}`);
}

/**
 * Grants a user the use of a schema. Default privileges concern future objects, so a right that the owner has revoked
 * stays revoked. The owner can also act as the user, so it may transfer tables to it.
 */
async function letUse(admin: pg.ClientBase, userName: string, owner: SchemaOwner): Promise<void> {
  const [user, role, schema] = [userName, owner.role, owner.schema].map((name) => pg.escapeIdentifier(name));
  await admin.query(`GRANT ${user} TO ${role}`);
  const wasItsOwn = await owns(admin, userName, owner.schema);
  if (wasItsOwn) await admin.query(`REASSIGN OWNED BY ${user} TO ${role}`);
  await admin.query(`GRANT USAGE ON SCHEMA ${schema} TO ${user}`);
  const rights = 'SELECT, INSERT, UPDATE, DELETE';
  const defaults = `ALTER DEFAULT PRIVILEGES FOR ROLE ${role} IN SCHEMA ${schema}`;
  await admin.query(`${defaults} GRANT ${rights} ON TABLES TO ${user}`);
  if (wasItsOwn) await admin.query(`GRANT ${rights} ON ALL TABLES IN SCHEMA ${schema} TO ${user}`);
}

/** Reports whether a schema from before separate ownership still belongs to the role of its own name. */
async function owns(admin: pg.ClientBase, role: string, schema: string): Promise<boolean> {
  const text =
    'SELECT FROM pg_namespace WHERE nspname = $1 AND nspowner = (SELECT oid FROM pg_roles WHERE rolname = $2)';
  return (await admin.query(text, [schema, role])).rowCount === 1;
}

async function asAdmin(connection: PostgresConnection, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const { host, port, user, password, database, tls } = connection;
  const admin = new pg.Client({
    host,
    port,
    user,
    password: password.reveal(),
    database,
    ssl: tls ? { rejectUnauthorized: true } : false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
