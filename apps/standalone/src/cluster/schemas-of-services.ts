import { createDatabase, createSchemas } from '@agent-wallet/embedded';
import { Secret } from '@agent-wallet/kernel';
import type { PostgresConnection } from '@agent-wallet/platform';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { schemaOwners } from '../infrastructure/schema-owners.js';
import { passwordFile, SUPERUSER_PASSWORD } from './kept-objects.js';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Makes the services' database with a role and a schema for each, and for the event log, on a Postgres that is reached as
 * its superuser; passwords are those of a folder. What exists stays.
 */
export async function makeSchemas(server: Omit<PostgresConnection, 'password'>, directory: string): Promise<void> {
  const passwordOf = async (role: string) =>
    new Secret(await readFile(path.join(directory, passwordFile(role)), 'utf8'));
  const password = await readFile(path.join(directory, SUPERUSER_PASSWORD), 'utf8');
  const { host, port, user } = server;
  const inDatabase = async <T>(database: string, work: (admin: pg.Client) => Promise<T>): Promise<T> => {
    const admin = new pg.Client({
      host,
      port,
      user,
      password,
      database,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.end();
    }
  };
  const database = await inDatabase(server.database, createDatabase);
  const events = { schema: 'events', role: 'events', password: await passwordOf('events') };
  const owners = [...(await schemaOwners(passwordOf)), events];
  await inDatabase(database, (admin) => createSchemas(admin, owners));
}
