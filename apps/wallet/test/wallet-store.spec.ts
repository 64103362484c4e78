import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { auditV1 } from '@agent-wallet/contracts';
import { newId, systemClock } from '@agent-wallet/kernel';
import { OPERATIONS_SQL_PATH } from '@agent-wallet/operations';
import { openTestDatabase } from '@agent-wallet/testing';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PostgresWalletStore } from '../src/adapters/postgres-wallet-store.js';
import { CreateWallet } from '../src/application/wallets/create-wallet.js';
import { PrismaClient } from '../src/generated/prisma/client.js';
import { newAddress } from './fakes.js';
import { openWalletDatabase } from './service.js';

jest.setTimeout(30_000);

let opened: Awaited<ReturnType<typeof openWalletDatabase>>;
let prisma: PrismaClient;

beforeAll(async () => {
  opened = await openWalletDatabase();
  prisma = new PrismaClient({ adapter: new PrismaPg(opened.database.pool, { schema: 'wallet' }) });
}, 60_000);
afterAll(async () => {
  await prisma.$disconnect();
  await opened.close();
});

const replica = () => new PostgresWalletStore(prisma, opened.database.pool, systemClock);

async function eventsOf(agentId: string): Promise<auditV1.AuditEvent[]> {
  const { rows } = await opened.database.pool.query<{ payload: Buffer }>(
    'select payload from outbox where agent_id = $1',
    [agentId],
  );
  return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload));
}

describe('creating a wallet', () => {
  it('makes one, and tells history once, however many ask over several replicas', async () => {
    const agentId = newId();
    const address = newAddress();
    const keys = { createKey: async () => address };
    const calls = Array.from({ length: 30 }, () => new CreateWallet(replica(), keys).execute(agentId));
    const answers = await Promise.all(calls);
    expect(new Set(answers.map((answer) => answer.address))).toEqual(new Set([address]));
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    const events = await eventsOf(agentId);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      agentId,
      source: 'wallet',
      fact: { $case: 'walletCreated', value: { address } },
    });
  });

  it('can be repeated after the signer did not answer', async () => {
    const agentId = newId();
    const address = newAddress();
    const failing = { createKey: () => Promise.reject(new Error('no answer')) };
    await expect(new CreateWallet(replica(), failing).execute(agentId)).rejects.toThrow('no answer');
    const again = new CreateWallet(replica(), { createKey: async () => address });
    expect(await again.execute(agentId)).toEqual({ address, created: true });
    expect(await again.execute(agentId)).toEqual({ address, created: false });
    expect(await replica().find(agentId)).toBe(address);
  });

  it('never gives one address to two agents', async () => {
    const address = newAddress();
    expect(await replica().add(newId(), address)).toBe(true);
    await expect(replica().add(newId(), address)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  });
});

describe('the migrations', () => {
  /** Columns, constraints and indexes of the tables of operations. */
  const tablesOf = async (pool: { query(text: string): Promise<{ rows: unknown[] }> }) =>
    (
      await pool.query(`
        select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as part
          from information_schema.columns
          where table_schema = current_schema and table_name in ('operations', 'attempts')
        union all
        select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
          where conrelid in ('operations'::regclass, 'attempts'::regclass)
        union all
        select indexdef from pg_indexes where schemaname = current_schema and tablename in ('operations', 'attempts')
        order by part`)
    ).rows;

  it('come to the tables of operations as the library wants them', async () => {
    const test = await openTestDatabase(['wallet']);
    const wanted = new pg.Pool({ ...test.schemas.wallet, options: '-c search_path=wallet', max: 1 });
    try {
      await wanted.query(await readFile(OPERATIONS_SQL_PATH, 'utf8'));
      const parts = await tablesOf(wanted);
      expect(parts.length).toBeGreaterThan(40);
      expect(await tablesOf(opened.database.pool)).toEqual(parts);
    } finally {
      await wanted.end();
      await test.close();
    }
  });
});
