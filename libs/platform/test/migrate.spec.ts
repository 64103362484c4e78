import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, migrate, missingMigrations } from '../src/index.js';
import { openSchema, openTestDatabase, type TestDatabase } from './support.js';

const MAKE = '20260101000000_make_a_table';
const FILL = '20260102000000_fill_it';

let test: TestDatabase;
let database: Database;
let directory: string;

beforeEach(async () => {
  test = await openTestDatabase();
  database = await openSchema(test, 'things');
  directory = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  await cp(path.join(import.meta.dirname, 'fixtures', 'migrations'), directory, { recursive: true });
});

afterEach(async () => {
  await database.close();
  await test.close();
  await rm(directory, { recursive: true });
});

async function countThings(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>('select count(*)::int as n from things');
  return rows[0]!.n;
}

describe('migrate', () => {
  it('applies each migration once, in order', async () => {
    expect(await migrate(database, directory)).toEqual([MAKE, FILL]);
    expect(await migrate(database, directory)).toEqual([]);
    expect(await countThings()).toBe(1);
  });

  it('applies each migration once when replicas start together', async () => {
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(database, directory)));
    expect(applied.flat()).toEqual([MAKE, FILL]);
    expect(await countThings()).toBe(1);
  });

  it('tells what is missing, and whether nothing was applied ever', async () => {
    await expect(missingMigrations(database, directory)).rejects.toThrow('_prisma_migrations');
    const fill = path.join(directory, FILL);
    await rename(fill, path.join(directory, '..', `${path.basename(directory)}-later`));
    await migrate(database, directory);
    expect(await missingMigrations(database, directory)).toEqual([]);
    await rename(path.join(directory, '..', `${path.basename(directory)}-later`), fill);
    expect(await missingMigrations(database, directory)).toEqual([FILL]);
    expect(await countThings()).toBe(0);
  });

  it('refuses an applied migration that was edited', async () => {
    await migrate(database, directory);
    await writeFile(path.join(directory, FILL, 'migration.sql'), 'insert into things values (2);');
    await expect(migrate(database, directory)).rejects.toThrow(`${FILL} was edited`);
  });

  it('leaves nothing of a migration that failed, and applies it once mended', async () => {
    const file = path.join(directory, FILL, 'migration.sql');
    await writeFile(file, 'insert into things values (1); insert into nowhere values (1);');
    await expect(migrate(database, directory)).rejects.toThrow(`${FILL} failed`);
    expect(await countThings()).toBe(0);
    await writeFile(file, 'insert into things values (1);');
    expect(await migrate(database, directory)).toEqual([FILL]);
  });
});
