import { Secret } from '@agent-wallet/kernel';
import { EVENT_LOG_MIGRATIONS, grantPublish } from '@agent-wallet/events';
import { createLogger, type Database, migrate, openDatabase, type PostgresConnection } from '@agent-wallet/platform';
import { openTestDatabase, type TestConnection } from '@agent-wallet/testing';
import pg from 'pg';
import { policyMigrations } from '../src/index.js';

export const silent = createLogger('test', 'silent');

/** A database with policy's schema and the event log, as in production, and its clock in the test's hands. */
export interface PolicyDatabase {
  readonly connection: PostgresConnection;
  /** The schema as policy's own role sees it. */
  readonly policy: Database;
  /** Opens the schema once more, as another replica would. */
  another(): Database;
  /** Moves policy.now() by so much from the real time; needs a superuser. */
  shiftClock(interval: string): Promise<void>;
  rows<Row extends object = Record<string, unknown>>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openPolicyDatabase(): Promise<PolicyDatabase> {
  const test = await openTestDatabase(['policy', 'events']);
  const log = await openSchema(test.schemas.events, EVENT_LOG_MIGRATIONS);
  await log.pool.query(grantPublish(test.schemas.policy.user));
  const policy = await openSchema(test.schemas.policy, policyMigrations);
  const admin = new pg.Client(test.connection);
  await admin.connect();
  const others: Database[] = [];
  return {
    connection: withSecret(test.schemas.policy),
    policy,
    another: () => {
      const options = { connection: withSecret(test.schemas.policy), schema: 'policy', logger: silent };
      others.push(openDatabase(options));
      return others.at(-1)!;
    },
    shiftClock: async (interval) => {
      await admin.query('update policy.clock_shift set shift = $1::interval', [interval]);
    },
    rows: async (sql, ...values) => (await policy.pool.query(sql, values)).rows,
    close: async () => {
      await Promise.all([log.close(), policy.close(), admin.end(), ...others.map((database) => database.close())]);
      await test.close();
    },
  };
}

async function openSchema(
  connection: TestConnection,
  { schema, directory }: { readonly schema: string; readonly directory: string },
): Promise<Database> {
  const database = openDatabase({ connection: withSecret(connection), schema, logger: silent });
  await migrate(database, directory);
  return database;
}

function withSecret(connection: TestConnection): PostgresConnection {
  return { ...connection, password: new Secret(connection.password) };
}

/** Waits until a condition holds. @throws Error when it does not within 15 s */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = performance.now() + 15_000;
  while (!(await condition())) {
    if (performance.now() > until) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
