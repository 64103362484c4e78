import type pg from 'pg';
import type { SqlFile } from './schema-files.js';

/** A migration's one statement, after comments: Postgres rejects `concurrently` beside another statement. */
const CONCURRENT_INDEX = /^(?:\s|--.*\n)*create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)/i;

const FIND_INDEX = `
  select i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = lower($2)`;

/** Returns the name of the index that a migration creates concurrently; undefined for every other migration. */
export function findConcurrentIndex({ sql }: SqlFile): string | undefined {
  return CONCURRENT_INDEX.exec(sql)?.[1];
}

/**
 * Builds the index of a migration outside a transaction, so that writers go on. An earlier run may have been interrupted: an
 * index that it left invalid is dropped and built again, and one that it completed stays.
 */
export async function buildIndex(
  client: pg.PoolClient,
  schema: string,
  { name, sql }: SqlFile,
  index: string,
): Promise<void> {
  try {
    // A build takes as long as the table is large, and waits for the transactions that were open before it.
    await client.query('set statement_timeout = 0');
    const { rows } = await client.query<{ is_valid: boolean }>(FIND_INDEX, [schema, index]);
    if (rows[0]?.is_valid) return;
    if (rows[0]) await client.query(`drop index concurrently ${index}`);
    await client.query(sql);
  } catch (error) {
    throw new Error(`migration ${name} failed`, { cause: error });
  } finally {
    await client.query('reset statement_timeout').catch(() => undefined);
  }
}
