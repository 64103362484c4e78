import { newId, NIL_UUID } from '@agent-wallet/kernel';
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

describe('the positions of an agent', () => {
  it('are listed up to 1,000 open and 1,000 settled, the latest first, and counted in all', async () => {
    const agentId = newId();
    await superuser.query(
      `insert into prediction.accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
       select 'position', $1, $2, 'OPEN-' || n, 'yes', 100, n from generate_series(1, 1001) n`,
      [agentId, NIL_UUID],
    );
    await superuser.query(
      `with ended as (
         insert into prediction.settlements (ticker, result, yes_value_usd_micros, revenue_usd_micros, fee_usd_micros, begun_at_ms)
         select 'ENDED-' || n, 'yes', 1000000, 0, 0, 0 from generate_series(1, 1002) n returning ticker)
       insert into prediction.settled_positions (agent_id, ticker, side, quantity, cost_usd_micros, payout_usd_micros, result,
         entry_id)
       select $1, ticker, 'yes', 100, 0, 0, 'won', substr(ticker, 7)::bigint from ended`,
      [agentId],
    );
    const tickers = async (settled?: boolean) => {
      const { positions, ...counts } = await test.ledger.positionsOf(agentId, settled);
      return { ...counts, length: positions.length, first: positions[0]!.ticker, last: positions.at(-1)!.ticker };
    };
    const counts = { openCount: 1_001, settledCount: 1_002 };
    expect(await tickers(false)).toEqual({ ...counts, length: 1_000, first: 'OPEN-1001', last: 'OPEN-2' });
    expect(await tickers(true)).toEqual({ ...counts, length: 1_000, first: 'ENDED-1002', last: 'ENDED-3' });
    expect(await tickers()).toMatchObject({ ...counts, length: 2_000, first: 'ENDED-1002' });
  });
});

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
