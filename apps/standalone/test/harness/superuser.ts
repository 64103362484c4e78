import pg from 'pg';
import type { Deployment } from './deployment.js';

/** The database of all services as Postgres' own superuser sees it: for looking, and for moving times. */
export interface Superuser {
  /** Runs a statement and answers its rows. */
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** Connects to a deployment's database. */
export async function openSuperuser(deployment: Deployment): Promise<Superuser> {
  const { host, port, user, password } = deployment.infrastructure.postgres;
  const { database } = deployment.infrastructure.databases.events;
  const client = new pg.Client({ host, port, user, password: password.reveal(), database });
  await client.connect();
  return {
    rows: async <Row extends object>(sql: string, ...values: unknown[]) =>
      (await client.query(sql, values)).rows as Row[],
    close: () => client.end(),
  };
}
