import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Secret } from '@agent-wallet/kernel';
import path from 'node:path';
import { type Database, migrate, verifySchema } from '../src/index.js';
import { openMigratedDatabase, openTestSchema } from '../src/testing/migrated-database.js';
import { silent, type TestDatabase } from './support.js';

const THINGS = { schema: 'things', directory: path.join(import.meta.dirname, 'fixtures', 'db') } as const;

let test: TestDatabase<'things' | 'things_owner'>;
let owner: Database;

beforeEach(async () => {
  test = await openMigratedDatabase([THINGS], { ownedApart: ['things'] });
  owner = openTestSchema(test.schemas.things_owner, 'things');
});

afterEach(async () => {
  await owner.close();
  await test.close();
});

/** As the service's own role, which owns nothing. */
function verify(): Promise<void> {
  const { things } = test.schemas;
  const connection = { ...things, password: new Secret(things.password) };
  return verifySchema({ ...THINGS, connection, logger: silent });
}

describe('a schema at the start of its service', () => {
  it('is that of its program, also once a newer version has replaced the functions', async () => {
    await expect(verify()).resolves.toBeUndefined();
    await owner.pool.query(
      `update schema_functions set is_in_force = false;
       insert into schema_functions (files_checksum, is_in_force, catalog_digest)
       select 'of the next release', true, catalog_digest from schema_functions`,
    );
    await expect(verify()).resolves.toBeUndefined();
  });

  it.each([
    [
      'a function was edited',
      'create or replace function count_things() returns bigint return 7',
      'functions (changed in the database)',
    ],
    ['a trigger is off', 'alter table things disable trigger all', 'functions (changed in the database)'],
    ['the functions are of another version', "update schema_functions set files_checksum = 'another'", 'functions'],
    ['a migration is missing', "delete from schema_migrations where name like '0002%'", '0002_fill_it'],
    ['nothing was ever migrated', 'drop table schema_migrations', 'it was never migrated'],
  ])('is refused when %s', async (_, sql, reason) => {
    await owner.pool.query(sql);
    await expect(verify()).rejects.toThrow(
      `the schema things is not that of this program: ${reason}. Run its migrations`,
    );
  });

  it('cannot be made to look right by the service itself', async () => {
    const service = openTestSchema(test.schemas.things, 'things');
    try {
      for (const table of ['schema_functions', 'schema_migrations', 'schema_triggers']) {
        await expect(service.pool.query(`delete from ${table}`)).rejects.toThrow('permission denied');
      }
    } finally {
      await service.close();
    }
    expect(await migrate(owner, THINGS.directory)).toEqual([]);
  });
});
