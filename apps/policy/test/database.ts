import { EVENT_LOG_MIGRATIONS, grantPublish } from '@agent-wallet/events';
import { type Database, type PostgresConnection } from '@agent-wallet/platform';
import { openMigratedDatabase, openTestSchema, setClock } from '@agent-wallet/platform/testing';
import { Secret } from '@agent-wallet/kernel';
import { policyMigrations } from '../src/index.js';

/** A database with policy's schema and the event log, as in production, and its clock in the test's hands. */
export interface PolicyDatabase {
  readonly connection: PostgresConnection;
  /** The schema as policy's own role sees it. */
  readonly policy: Database;
  /** Opens the schema once more, as another replica would. */
  another(): Database;
  /** Moves policy.now() by so much from the real time. */
  shiftClock(interval: string): Promise<void>;
  /** Stops policy.now() at an instant. */
  stopClock(at: string): Promise<void>;
  /** Has policy.now() read the column `at` of a table's only row: to move it then takes one update. */
  followRow(table: string): Promise<void>;
  rows<Row extends object = Record<string, unknown>>(sql: string, ...values: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export async function openPolicyDatabase(): Promise<PolicyDatabase> {
  const test = await openMigratedDatabase([policyMigrations, EVENT_LOG_MIGRATIONS], {
    grants: (roles) => grantPublish(roles.policy),
  });
  const login = test.schemas.policy;
  const policy = openTestSchema(login, 'policy');
  // A copy has forgotten what was permitted in its original; this one's original was empty.
  await policy.pool.query('update database_identity set identity = database_identity()');
  const others: Database[] = [];
  return {
    connection: { ...login, password: new Secret(login.password) },
    policy,
    another: () => {
      others.push(openTestSchema(login, 'policy'));
      return others.at(-1)!;
    },
    shiftClock: (interval) => setClock(test.connection, 'policy', `clock_timestamp() + interval '${interval}'`),
    stopClock: (at) => setClock(test.connection, 'policy', `timestamptz '${at}'`),
    followRow: (table) => setClock(test.connection, 'policy', `at from policy.${table}`),
    rows: async (sql, ...values) => (await policy.pool.query(sql, values)).rows,
    close: async () => {
      await Promise.all([policy, ...others].map((database) => database.close()));
      await test.close();
    },
  };
}
