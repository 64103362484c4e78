import { migrate, openDatabase, createLogger } from '@agent-wallet/platform';
import { Secret } from '@agent-wallet/kernel';
import { openTestDatabase, type TestConnection, type TestDatabase } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { CheckResult } from '../../src/doctor/check.js';
import { DATABASE_CHECKS, judgeVersion } from '../../src/doctor/database.js';
import { examine } from '../../src/doctor/examine.js';
import { SCHEMA_DIRECTORIES } from '../../src/schemas.js';

let database: TestDatabase<'signer'>;
beforeAll(async () => {
  database = await openTestDatabase(['signer']);
});
afterAll(() => database.close());

/** Reads the server's clock, so that a test chooses the difference. */
async function serverTimeMs(): Promise<number> {
  const client = new pg.Client({ ...database.connection });
  await client.connect();
  const { rows } = await client.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  );
  await client.end();
  return rows[0]!.ms;
}

function urlOf({ host, port, user, password, database: name }: TestConnection): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`;
}

async function examineDatabase(url: string, nowMs = 0): Promise<Record<string, CheckResult>> {
  const results = await examine(DATABASE_CHECKS, { environment: { DATABASE_URL: url }, clock: { nowMs: () => nowMs } });
  return Object.fromEntries(results.map((result) => [result.name, result]));
}

describe('checks of the database', () => {
  it('fail for a schema that was never migrated, and are ok once it is', async () => {
    const url = urlOf(database.schemas.signer);
    expect((await examineDatabase(url))['schema']).toMatchObject({ status: 'fail' });
    const own = { ...database.schemas.signer, password: new Secret(database.schemas.signer.password) };
    const opened = openDatabase({ connection: own, schema: 'signer', logger: createLogger('test', 'silent') });
    await migrate(opened, SCHEMA_DIRECTORIES.get('signer')!);
    expect((await examineDatabase(url))['schema']).toMatchObject({ status: 'ok', found: 'current: signer' });
    await opened.pool.query('delete from schema_migrations where name = (select max(name) from schema_migrations)');
    await opened.close();
    expect((await examineDatabase(url))['schema']).toMatchObject({
      status: 'fail',
      found: expect.stringMatching(/^signer lacks \d{4}_/),
    });
  });

  it('warn of a version below 18', () => {
    expect(judgeVersion({ version: 170_004 })).toMatchObject({ status: 'warn', found: 'Postgres 17.4' });
  });

  it('show the version', async () => {
    const { version } = await examineDatabase(urlOf(database.connection));
    expect(version).toMatchObject({ status: 'ok', found: expect.stringMatching(/^Postgres 18\.\d+$/) });
  });

  it.each([
    [-3_000, 'warn'],
    [-3_600_000, 'fail'],
  ])('judge a clock that differs by %i ms as %s', async (differenceMs, status) => {
    const { clock } = await examineDatabase(urlOf(database.connection), (await serverTimeMs()) + differenceMs);
    expect(clock).toMatchObject({ status });
  });

  it('fail for a wrong password, which they do not print', async () => {
    const results = await examineDatabase(urlOf({ ...database.schemas.signer, password: 'secret-guess' }));
    expect(results['version']).toMatchObject({ status: 'fail', found: expect.stringContaining('password') });
    expect(JSON.stringify(results)).not.toContain('secret-guess');
  });
});
