import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { migrate, missingMigrations } from '../src/index.js';
import { openMigratedDatabase, openTestSchema, setClock } from '../src/testing/migrated-database.js';
import type { TestDatabase } from './support.js';

const THINGS = { schema: 'things', directory: path.join(import.meta.dirname, 'fixtures', 'db') } as const;

describe('a migrated test database', () => {
  let test: TestDatabase<'things' | 'things_owner'>;
  beforeAll(async () => {
    test = await openMigratedDatabase([THINGS], {
      ownedApart: ['things'],
      grants: (roles) => `revoke insert on things.things from "${roles.things}"`,
    });
  });
  afterAll(() => test.close());

  it('has every migration and function, and the grants', async () => {
    const database = openTestSchema(test.schemas.things, 'things');
    try {
      expect((await database.pool.query('select count_things() as n')).rows).toEqual([{ n: '1' }]);
      await expect(database.pool.query('insert into things values (2)')).rejects.toThrow('permission denied');
    } finally {
      await database.close();
    }
  });

  it('has a clock that a test sets, and that a migration accepts', async () => {
    const owner = openTestSchema(test.schemas.things_owner, 'things');
    try {
      await setClock(test.connection, 'things', `timestamptz '2026-03-01T12:00:00Z'`);
      const { rows } = await owner.pool.query<{ at: Date }>('select things.now() as at');
      expect(rows[0]!.at.toISOString()).toBe('2026-03-01T12:00:00.000Z');
      expect(await missingMigrations(owner, THINGS.directory)).toEqual([]);
      expect(await migrate(owner, THINGS.directory)).toEqual([]);
    } finally {
      await owner.close();
    }
  });
});
