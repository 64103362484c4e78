import { auditV1 } from '@agent-wallet/contracts';
import { createOutbox } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import type { Database, DatabaseTransaction } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { post } from '../src/adapters/ledger/journal.js';
import { PostgresSettlementStore } from '../src/adapters/ledger/postgres-settlement-store.js';
import { entryOf, line } from '../src/domain/ledger/line.js';
import { type LedgerUnderTest, faultsOf, openLedger } from './ledger-support.js';

let test: LedgerUnderTest;
beforeAll(async () => {
  test = await openLedger();
});
afterAll(async () => {
  expect(await faultsOf(test)).toEqual([]);
  await test.close();
});

/** So many agents of which each holds one contract of one side, bought at 50 cents; as many of yes as of no. */
async function holders(ticker: string, count: number): Promise<readonly string[]> {
  const agents = Array.from({ length: count }, () => newId());
  const lines = agents.flatMap((agentId, i) => {
    const where = { agentId, ticker, side: i % 2 === 0 ? 'yes' : 'no' } as const;
    const memo = [line('position_cost', 500_000n, where), line('agent_positions', -500_000n, { agentId })];
    return [line('position', 100n, where), ...memo];
  });
  const pairs = BigInt(count / 2);
  const entry = entryOf([
    ...lines,
    ...(['yes', 'no'] as const).map((side) => line('outstanding', -pairs * 100n, { ticker, side })),
    line('netted_pairs', -pairs * 1_000_000n, { ticker }),
    line('exchange_cash', pairs * 1_000_000n),
  ]);
  await test.write((tx) => post(tx, { key: `many:${ticker}`, kind: 'buy_fill', lines: entry }));
  return agents;
}

/** Settles it as yes, over that database. */
function settle(ticker: string, database: Pick<Database, 'pool' | 'transaction'> = test.database) {
  const outbox = createOutbox('prediction', systemClock);
  const ledger = new PostgresSettlementStore({ database, outbox, clock: systemClock });
  const paid = { revenueUsdMicros: 0n, tradingFeesUsdMicros: 0n };
  return ledger.settle({ ticker, result: 'yes', yesValueUsdMicros: 1_000_000n, paid });
}

/** The database, where neither it nor its client waits for a statement longer than a second. */
function hasty(database: Database): Pick<Database, 'pool' | 'transaction'> {
  return {
    pool: database.pool,
    transaction: (work) =>
      database.transaction(async (tx) => {
        await tx.query('set local statement_timeout = 1000');
        const query = (asked: string | object, values?: unknown[]) =>
          typeof asked === 'string' ? tx.query(asked, values) : tx.query({ query_timeout: 1_000, ...asked } as never);
        return work(Object.assign(Object.create(tx) as DatabaseTransaction, { query }));
      }),
  };
}

describe('a market that many hold', () => {
  it('is settled, and each holder gets its own event', async () => {
    const agents = await holders('MANY', 2_400);
    expect(await settle('MANY')).toBe('settled');
    expect(-(await test.total('prediction_balance'))).toBe(1_200_000_000n);
    const rows = await test.rows<{ agent_id: string; payload: Buffer }>('select agent_id, payload from outbox');
    expect(rows.map((row) => row.agent_id).sort()).toEqual([...agents].sort());
    for (const { agent_id: agentId, payload } of [rows[0]!, rows[2_399]!]) {
      const { fact } = auditV1.AuditEvent.decode(payload);
      const amount = agents.indexOf(agentId) % 2 === 0 ? 1_000_000n : 0n;
      expect(fact).toMatchObject({ $case: 'operationChanged', value: { action: 'prediction_settlement', amount } });
    }
  });

  it('may take longer to be posted than other statements may take', async () => {
    await holders('SLOW', 2);
    await test.owner.pool.query(`
      create function be_slow() returns trigger language plpgsql as 'begin perform pg_sleep(1.5); return new; end';
      create trigger be_slow before insert on journal_entries for each row execute function be_slow()`);
    expect(await settle('SLOW', hasty(test.database))).toBe('settled');
  });
});
