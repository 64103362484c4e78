import pg from 'pg';
import type { EventRecord } from '@agent-wallet/events';
import { setClock } from '@agent-wallet/platform/testing';
import type { Deployment } from './deployment.js';
import { TopicReader } from './test-broker.js';

/** The database of all services as Postgres' own superuser sees it: for looking, and for moving times. */
export interface Superuser {
  /** Runs a statement and answers its rows. */
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** All events in the stream; those of one agent in its order. */
  published(): Promise<readonly EventRecord[]>;
  /** Makes policy's clock another expression of SQL. */
  setPolicyClock(expression: string): Promise<void>;
  close(): Promise<void>;
}

/** Connects to a deployment's database. */
export async function openSuperuser(deployment: Deployment): Promise<Superuser> {
  const { host, port, user, password } = deployment.infrastructure.postgres;
  const { database } = deployment.infrastructure.databases.events;
  const connection = { host, port, user, password: password.reveal(), database };
  const client = new pg.Client(connection);
  await client.connect();
  const rows = async <Row extends object>(sql: string, ...values: unknown[]) =>
    (await client.query(sql, values)).rows as Row[];
  const reader = deployment.kafka === undefined ? undefined : await TopicReader.open(deployment.kafka);
  return {
    rows,
    published: () => reader?.events() ?? rows<EventRecord>(LOG),
    setPolicyClock: (expression) => setClock(connection, 'policy', expression),
    close: async () => {
      await reader?.close();
      await client.end();
    },
  };
}

const LOG = 'select event_id as "eventId", agent_id as "agentId", payload from events.log order by position';
