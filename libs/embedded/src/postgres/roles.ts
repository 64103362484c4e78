import { Secret } from '@agent-wallet/kernel';
import pg from 'pg';
import type { PostgresConnection } from './connection.js';
import { passwordsFor } from './passwords.js';
import type { EmbeddedPostgres } from './start.js';

/** The one database of all services. */
const DATABASE = 'agent_wallet';

/** A schema, and the login role that owns it. */
export interface SchemaOwner {
  readonly schema: string;
  readonly role: string;
  readonly password: Secret<string>;
}

/**
 * Makes the database `agent_wallet` and in it a schema per service, owned by a login role of the same name that sees
 * no other schema and no other database. Passwords are made up once and kept in the data directory. What exists stays
 * as it is, so every start may call it.
 */
export async function createServiceRoles<Service extends string>(
  server: EmbeddedPostgres,
  services: readonly Service[],
): Promise<Record<Service, PostgresConnection>> {
  const passwords = passwordsFor(server.dataDir, services);
  const owners = services.map((name) => ({ schema: name, role: name, password: new Secret(passwords[name]) }));
  await asAdmin(server, server.database, async (admin) => {
    const found = await admin.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await admin.query(`CREATE DATABASE ${DATABASE}`);
    await admin.query(`REVOKE ALL ON DATABASE postgres, template1, ${DATABASE} FROM PUBLIC`);
  });
  await asAdmin(server, DATABASE, (admin) => createSchemas(admin, owners));
  const { host, port } = server;
  const connections = owners.map(({ role, password }) => [
    role,
    { host, port, user: role, password, database: DATABASE },
  ]);
  return Object.fromEntries(connections) as Record<Service, PostgresConnection>;
}

/**
 * Makes schemas and their owners in the database that a superuser is connected to, and closes both to everybody else.
 * What exists stays, except that every role's password becomes the given one.
 */
export async function createSchemas(admin: pg.ClientBase, owners: readonly SchemaOwner[]): Promise<void> {
  const current = await admin.query<{ name: string }>('SELECT current_database() AS name');
  const database = pg.escapeIdentifier(current.rows[0]!.name);
  await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  for (const owner of owners) {
    const role = pg.escapeIdentifier(owner.role);
    const schema = pg.escapeIdentifier(owner.schema);
    const found = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [owner.role]);
    if (found.rowCount === 0) await admin.query(`CREATE ROLE ${role}`);
    const login = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS';
    await admin.query(`ALTER ROLE ${role} ${login} PASSWORD ${pg.escapeLiteral(owner.password.reveal())}`);
    await admin.query(`GRANT CONNECT ON DATABASE ${database} TO ${role}`);
    await admin.query(`CREATE SCHEMA IF NOT EXISTS ${schema} AUTHORIZATION ${role}`);
    await admin.query(`ALTER ROLE ${role} IN DATABASE ${database} SET search_path = ${schema}`);
  }
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
