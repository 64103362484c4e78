import { newId } from '@agent-wallet/kernel';
import type { Queryable } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type LedgerUnderTest, openLedger, operationOf } from './ledger-support.js';

let test: LedgerUnderTest;
beforeAll(async () => {
  test = await openLedger();
});
afterAll(() => test.close());

describe('the service’s role', () => {
  it.each([
    'update journal_entries set kind = kind',
    'delete from journal_entries',
    'truncate journal_entries',
    'update fills set count = 1',
    'delete from settlements',
    'update settled_positions set payout_usd_micros = 1',
    'update accounts set balance = 0',
    'delete from accounts',
    `insert into accounts values ('prediction_balance', gen_random_uuid(), gen_random_uuid(), '', '', -5, 1)`,
    'truncate accounts',
    'update ledger_totals set balance = 0',
    'drop table journal_entries',
    'alter table journal_entries disable trigger all',
    'create or replace function is_balanced(lines entry_line[]) returns boolean language sql return true',
    'create table mine (id int)',
  ])('may not: %s', async (sql) => {
    await expect(test.database.pool.query(sql)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('may not hide the accounts behind a table of its own', async () => {
    const operation = operationOf(newId());
    await test.write(async (tx) => {
      await tx.query('create temp table accounts (like prediction.accounts including all) on commit drop');
      await test.ledger.escrow(tx, operation, 1_000_000n);
    });
    expect(await test.ledger.heldFor(operation.operationId)).toMatchObject({ escrowUsdMicros: 1_000_000n });
  });
});

describe('the database', () => {
  const line = (kind: string, amount: bigint, more = `'', ''`) =>
    `row('${kind}', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000000', ${more}, ${amount})::entry_line`;
  const insert = (...lines: string[]) =>
    test.database.pool.query(
      `insert into journal_entries (key, kind, lines) values (gen_random_uuid(), 'escrow', array[${lines.join(',')}]::entry_line[])`,
    );

  it.each([
    ['has one line', [line('treasury_usdc', 5n)]],
    ['has no line', []],
    ['does not sum to zero', [line('treasury_usdc', 5n), line('operator_float', -4n)]],
    ['sums to zero only across ledgers', [line('treasury_usdc', 5n), line('agent_positions', -5n)]],
    ['sums to zero only across markets', [line('position', 5n, `'A', 'yes'`), line('outstanding', -5n, `'B', 'yes'`)]],
    ['says nothing of an amount', [line('treasury_usdc', 5n).replace('5)', 'null)'), line('operator_float', -5n)]],
  ])('refuses an entry that %s', async (_, lines) => {
    await expect(insert(...lines)).rejects.toThrow('journal_entries_sum_to_zero');
  });

  it.each(['escrow', 'prediction_balance', 'withdraw_pending', 'suspense_treasury'])(
    'lets no account be overdrawn: %s',
    async (kind) => {
      await expect(insert(line(kind, 1n), line('operator_float', -1n))).rejects.toThrow('accounts_never_overdrawn');
    },
  );

  it('keeps the journal even from its owner', async () => {
    for (const sql of [
      'update journal_entries set kind = kind',
      'delete from journal_entries',
      'truncate journal_entries',
    ])
      await expect(test.owner.pool.query(sql)).rejects.toThrow('stay as they are');
  });

  it('keeps the journal, balanced, also from a superuser who writes as a replica does', async () => {
    await test.write((tx) => test.ledger.escrow(tx, operationOf(newId()), 1_000_000n));
    const superuser = new pg.Client(test.superuser);
    await superuser.connect();
    try {
      await superuser.query("set session_replication_role = 'replica'; set search_path = prediction");
      const lines = [line('treasury_usdc', 5n), line('operator_float', -4n)].join(',');
      const wrong = `insert into journal_entries (key, kind, lines) values ('wrong', 'escrow', array[${lines}]::entry_line[])`;
      await expect(superuser.query(wrong)).rejects.toThrow('journal_entries_sum_to_zero');
      for (const table of ['journal_entries', 'fills', 'settlements', 'settled_positions'])
        await expect(superuser.query(`delete from ${table}`)).rejects.toThrow('stay as they are');
    } finally {
      await superuser.end();
    }
  });

  it('holds no account of the operator while a transaction goes on, and its marks move with every commit', async () => {
    const figures = async () => {
      const { rows } = await test.database.pool.query<{ balance: string; mark: string }>(
        `select sum(balance)::bigint as balance, max(entry_id) as mark from accounts where kind = 'treasury_usdc'`,
      );
      return { balance: BigInt(rows[0]!.balance), mark: BigInt(rows[0]!.mark) };
    };
    const escrow = (tx: Queryable) => test.ledger.escrow(tx, operationOf(newId()), 1_000_000n);
    await test.write(escrow);
    const before = await figures();
    let between = before;
    await test.write(async (slow) => {
      await escrow(slow);
      // Numbered later, and committed earlier.
      await test.write(escrow);
      between = await figures();
    });
    const after = await figures();
    expect([between.balance - before.balance, after.balance - between.balance]).toEqual([1_000_000n, 1_000_000n]);
    expect(between.mark).toBeGreaterThan(before.mark);
    expect(after.mark).toBeGreaterThan(between.mark);
  });
});
