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
  let clock: Promise<void> | undefined;
  const moveClock = async (change: string, value: string) => {
    await (clock ??= readClockFromRow(policy, test.connection));
    await policy.pool.query(`update test_clock set ${change}`, [value]);
  };
  return {
    connection: { ...login, password: new Secret(login.password) },
    policy,
    another: () => {
      others.push(openTestSchema(login, 'policy'));
      return others.at(-1)!;
    },
    shiftClock: (interval) => moveClock('at = null, ahead = $1', interval),
    stopClock: (at) => moveClock('at = $1', at),
    rows: async (sql, ...values) => (await policy.pool.query(sql, values)).rows,
    close: async () => {
      await Promise.all([policy, ...others].map((database) => database.close()));
      await test.close();
    },
  };
}

/** Has policy.now() read a row. To replace the function each time would end the plans of every session. */
async function readClockFromRow(policy: Database, superuser: Parameters<typeof setClock>[0]): Promise<void> {
  await policy.pool.query('create table test_clock (at timestamptz, ahead interval)');
  await policy.pool.query("insert into test_clock (ahead) values ('0')");
  await setClock(superuser, 'policy', 'coalesce(at, clock_timestamp() + ahead) from policy.test_clock');
}
