import { NIL_UUID } from '@agent-wallet/kernel';
import { PagesRead } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readPicture } from '../src/adapters/ledger/ledger-snapshot.js';
import { PostgresSettlementStore } from '../src/adapters/ledger/postgres-settlement-store.js';
import { type LedgerUnderTest, openLedger } from './ledger-support.js';

// What runs each few seconds, over ledgers of two sizes.

const MANY = 20_000;
/** Pages that an index may be deeper. */
const DEEPER = 12;

let test: LedgerUnderTest;
let superuser: pg.Client;
beforeAll(async () => {
  test = await openLedger();
  superuser = new pg.Client(test.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await test.close();
});

async function pagesOfRound(): Promise<{ comparison: number; settlement: number }> {
  await superuser.query('vacuum analyze prediction.accounts');
  const pages = new PagesRead(test.database.pool);
  await readPicture({ query: (statement: never) => pages.query(statement) } as never);
  const comparison = pages.take();
  await new PostgresSettlementStore({ database: { pool: pages } } as never).heldMarkets();
  return { comparison, settlement: pages.take() };
}

describe('a round of comparison and settlement', () => {
  it('reads as much with 60,000 accounts of agents and 20,000 settled markets as with none', async () => {
    const few = await pagesOfRound();
    for (const kind of ['prediction_balance', 'agent_positions', 'escrow']) {
      await superuser.query(
        `insert into prediction.accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
         select $1, gen_random_uuid(), gen_random_uuid(), '', '', -1, 1 from generate_series(1, $2)`,
        [kind, MANY],
      );
    }
    await superuser.query(
      `insert into prediction.accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
       select 'outstanding', $1, $1, 'SETTLED-' || n, side, 0, 1 from generate_series(1, $2) n, unnest('{yes,no}'::text[]) side`,
      [NIL_UUID, MANY],
    );
    const many = await pagesOfRound();
    expect(many.comparison).toBeLessThanOrEqual(few.comparison + DEEPER);
    expect(many.settlement).toBeLessThanOrEqual(few.settlement + DEEPER);
  });
});
