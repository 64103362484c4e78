// A database of the bare parts' own, in the Postgres that the product uses.
import { createLogger, openDatabase } from '@agent-wallet/platform';
import { closing } from '../measure/closing.mjs';

const NAME = 'bench';
const CONNECTIONS = 20; // like a service

const TABLES = `
  create table operations (id uuid primary key, agent_id uuid not null, state text not null, request bytea not null,
    message bytea, signature bytea, revision int not null) with (fillfactor = 70);
  create table outbox (id bigint generated always as identity primary key, event_id uuid not null unique,
    agent_id uuid not null, payload bytea not null);
  create table log (position bigint generated always as identity primary key, event_id uuid not null unique,
    agent_id uuid not null, payload bytea not null);
  create table events (position bigint primary key, event_id uuid not null unique, agent_id uuid not null,
    payload bytea not null);`;

/** Makes it. The server is a running EmbeddedPostgres. */
export async function openBenchDatabase(server) {
  const logger = createLogger('bench', 'silent');
  const open = (database, maxConnections) =>
    openDatabase({ connection: { ...server, database }, schema: 'public', logger, maxConnections });
  const admin = open(server.database, 1);
  await admin.pool.query(`create database ${NAME}`);
  await admin.close();
  const database = closing(open(NAME, CONNECTIONS), () => database.close());
  await database.pool.query(TABLES);
  return database;
}

/** Whether a process belongs to that Postgres. */
export const isPostgres = ({ commandLine }) => /(^|\/)postgres\b/.test(commandLine);
