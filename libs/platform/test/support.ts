import { Secret } from '@agent-wallet/kernel';
import { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { createLogger, type Database, openDatabase } from '../src/index.js';

export const silent = createLogger('test', 'silent');

/** Opens a schema of a test database, made first where it is missing. */
export async function openSchema(test: TestDatabase, schema: string): Promise<Database> {
  const connection = { ...test.connection, password: new Secret(test.connection.password) };
  const database = openDatabase({ connection, schema, logger: silent });
  await database.pool.query(`create schema if not exists ${schema}`);
  return database;
}

/** Waits until a condition holds. @throws Error when it does not within 10 s */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > until) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export { openTestDatabase, type TestDatabase };
