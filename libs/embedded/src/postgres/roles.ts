import { Secret } from '@agent-wallet/kernel';
import pg from 'pg';
import type { PostgresConnection } from './connection.js';
import { passwordsFor } from './passwords.js';
import type { EmbeddedPostgres } from './start.js';

/** The one database of all services. */
const DATABASE = 'agent_wallet';

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
): Promise<Record<RoleName<Service, Apart>, PostgresConnection>> {
  const names = [...services, ...ownedApart.map((name) => `${name}_owner` as const)];
  const passwords = passwordsFor(server.dataDir, names);
  const roleOf = (name: (typeof names)[number]) => ({ role: name, password: new Secret(passwords[name]) });
  const apart: ReadonlySet<string> = new Set(ownedApart);
  const owners = services.map((schema) =>
    apart.has(schema)
      ? { schema, ...roleOf(`${schema as Apart}_owner`), user: roleOf(schema) }
      : { schema, ...roleOf(schema) },
  );
  await asAdmin(server, server.database, async (admin) => {
    const found = await admin.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await admin.query(`CREATE DATABASE ${DATABASE}`);
    await admin.query(`REVOKE ALL ON DATABASE postgres, template1, ${DATABASE} FROM PUBLIC`);
  });
  await asAdmin(server, DATABASE, (admin) => createSchemas(admin, owners));
  const { host, port } = server;
  const connections = names
    .map(roleOf)
    .map(({ role, password }) => [role, { host, port, user: role, password, database: DATABASE }]);
  return Object.fromEntries(connections) as Record<RoleName<Service, Apart>, PostgresConnection>;
}

/**
 * Makes schemas with their owners and users in the database that a superuser is connected to, and closes both to
 * everybody else. What exists stays, except that every role's password becomes the given one.
 */
export async function createSchemas(admin: pg.ClientBase, owners: readonly SchemaOwner[]): Promise<void> {
  const current = await admin.query<{ name: string }>('SELECT current_database() AS name');
  const database = pg.escapeIdentifier(current.rows[0]!.name);
  await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  for (const owner of owners) {
    const schema = pg.escapeIdentifier(owner.schema);
    await createLogin(admin, owner, { database, schema });
    await admin.query(`CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${pg.escapeIdentifier(owner.role)}`);
    if (!owner.user) continue;
    await createLogin(admin, owner.user, { database, schema });
    await letUse(admin, owner.user.role, owner);
  }
}

async function createLogin(
  admin: pg.ClientBase,
  login: LoginRole,
  { database, schema }: { readonly database: string; readonly schema: string },
): Promise<void> {
  const role = pg.escapeIdentifier(login.role);
  const found = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [login.role]);
  if (found.rowCount === 0) await admin.query(`CREATE ROLE ${role}`);
  const rights = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
  await admin.query(`ALTER ROLE ${role} ${rights} PASSWORD ${pg.escapeLiteral(login.password.reveal())}`);
  await admin.query(`GRANT CONNECT ON DATABASE ${database} TO ${role}`);
  await admin.query(`ALTER ROLE ${role} IN DATABASE ${database} SET search_path = ${schema}`);
}

/** Default privileges concern what will be made, so a right that the owner has taken away stays away. */
async function letUse(admin: pg.ClientBase, userName: string, owner: SchemaOwner): Promise<void> {
  const [user, role, schema] = [userName, owner.role, owner.schema].map((name) => pg.escapeIdentifier(name));
  await admin.query(`GRANT USAGE ON SCHEMA ${schema} TO ${user}`);
  const defaults = `ALTER DEFAULT PRIVILEGES FOR ROLE ${role} IN SCHEMA ${schema}`;
  await admin.query(`${defaults} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${user}`);
}

async function asAdmin(
  server: EmbeddedPostgres,
  database: string,
  work: (admin: pg.Client) => Promise<void>,
): Promise<void> {
  const { host, port, user, password } = server;
  const admin = new pg.Client({ host, port, user, password: password.reveal(), database });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
