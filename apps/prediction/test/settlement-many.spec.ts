import { auditV1 } from '@agent-wallet/contracts';
import { createOutbox } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { post } from '../src/adapters/ledger/journal.js';
import { PostgresSettlementStore } from '../src/adapters/ledger/postgres-settlement-store.js';
import { reconcileLedger } from '../src/application/reconciliation/reconcile-ledger.js';
import { unexplainedOf } from '../src/domain/ledger/compare.js';
import { entryOf, line } from '../src/domain/ledger/line.js';
import { keepersOf, LedgerSources } from './ledger-sources.js';
import { type LedgerUnderTest, bought, faultsOf, openLedger, operationOf } from './ledger-support.js';

const TICKER = 'MANY';
const HOLDERS = 2_500;
const PART = 1_000;
/** The payout of a contract: an odd amount, so that rounding leaves a fraction each time. */
const VALUE = 333_333n;

let test: LedgerUnderTest;
let outside: LedgerSources;
beforeEach(async () => {
  test = await openLedger();
  outside = new LedgerSources();
});
afterEach(async () => {
  expect(await faultsOf(test)).toEqual([]);
  await test.close();
});

/** So many agents of which each holds a contract and a half of one side, at 50 cents: two of yes to one of no. */
async function holders(count: number): Promise<readonly string[]> {
  const agents = Array.from({ length: count }, () => newId());
  const held = { yes: 0n, no: 0n };
  const lines = agents.flatMap((agentId, i) => {
    const side = i % 3 === 2 ? 'no' : 'yes';
    held[side] += 150n;
    const where = { agentId, ticker: TICKER, side } as const;
    const memo = [line('position_cost', 750_000n, where), line('agent_positions', -750_000n, { agentId })];
    return [line('position', 150n, where), ...memo];
  });
  const pairs = held.no * 10_000n;
  const entry = entryOf([
    ...lines,
    ...(['yes', 'no'] as const).map((side) => line('outstanding', -held[side], { ticker: TICKER, side })),
    line('netted_pairs', -pairs, { ticker: TICKER }),
    line('exchange_cash', pairs),
  ]);
  await test.write((tx) => post(tx, { key: 'many', kind: 'buy_fill', lines: entry }));
  outside.market(TICKER);
  outside.cash = pairs;
  outside.held.set(TICKER, held.yes - held.no);
  return agents;
}

/** The exchange calls the market off at that value, and pays for what the account held, in whole cents. */
function callOff(): void {
  const owed = (VALUE * (outside.held.get(TICKER) ?? 0n)) / 100n;
  outside.settle(TICKER, undefined, (owed / 10_000n) * 10_000n, VALUE);
}

/** A replica whose process dies instead of starting its transaction of that number. */
function dyingReplica(atTransaction: number) {
  let count = 0;
  const transaction: Database['transaction'] = (work) => {
    count += 1;
    if (count >= atTransaction) return Promise.reject(new Error('killed'));
    return test.database.transaction(work);
  };
  return new PostgresSettlementStore({
    database: { pool: test.database.pool, transaction },
    outbox: createOutbox('prediction', systemClock),
    clock: systemClock,
  });
}

const settling = () => keepersOf(test, outside).settling;
const paidAgents = () => test.rows<{ agent_id: string }>('select agent_id from settled_positions');
const heldMarkets = () => keepersOf(test, outside).settlements.heldMarkets();

/** Subjects that the comparison of the ledger with chain and exchange cannot explain. */
async function unexplained(): Promise<readonly string[]> {
  const { comparisons: ledger } = keepersOf(test, outside);
  const sources = { wallet: outside.wallet, exchange: outside.exchange };
  const found = await reconcileLedger({ ledger, ...sources, clock: systemClock, logger: silent });
  expect(found.complete).toBe(true);
  return found.comparisons.filter((each) => unexplainedOf(each) !== 0n).map(({ subject }) => subject);
}

/** Each agent was paid once, has its event and its money, and only the fractions are the operator's. */
async function expectPaidOnce(agents: readonly string[]): Promise<void> {
  expect((await paidAgents()).map((row) => row.agent_id).sort()).toEqual([...agents].sort());
  const events = await test.rows<{ agent_id: string; payload: Buffer }>('select agent_id, payload from outbox');
  const amounts = new Map(
    events.map(({ agent_id: agentId, payload }) => {
      const { fact } = auditV1.AuditEvent.decode(payload);
      return [agentId, fact?.$case === 'operationChanged' ? fact.value.amount : undefined];
    }),
  );
  const owed = (i: number) => ((i % 3 === 2 ? 1_000_000n - VALUE : VALUE) * 150n) / 100n;
  expect(events).toHaveLength(agents.length);
  expect(amounts).toEqual(new Map(agents.map((agentId, i) => [agentId, owed(i)])));
  const balances = await test.rows<{ agent_id: string; balance: string }>(
    `select agent_id, -balance as balance from accounts where kind = 'prediction_balance'`,
  );
  expect(new Map(balances.map((row) => [row.agent_id, BigInt(row.balance)]))).toEqual(amounts);
  const owedInAll = agents.reduce((sum, _, i) => sum + owed(i), 0n);
  expect((await test.total('exchange_cash')) + (await test.total('rounding'))).toBe(owedInAll);
  for (const kind of ['outstanding', 'netted_pairs', 'settling', 'settlement_due', 'position', 'agent_positions']) {
    expect([kind, await test.total(kind)]).toEqual([kind, 0n]);
  }
}

describe('a market with 2,500 holders', () => {
  it('continues where a replica was killed, and the comparison explains the ledger before and after each part', async () => {
    const agents = await holders(HOLDERS);
    expect(await unexplained()).toEqual([]);
    callOff();
    expect(await unexplained()).toEqual([]);
    const { paid } = outside;
    const outcome = { ticker: TICKER, result: 'void', yesValueUsdMicros: VALUE, paid: paid[0] } as const;
    const seen: number[] = [];
    expect(await dyingReplica(2).begin(outcome)).toBe('begun');
    for (let part = 1; part <= 2; part += 1) {
      seen.push((await paidAgents()).length);
      expect(await unexplained()).toEqual([]);
      expect(await heldMarkets()).toEqual([{ ticker: TICKER, isBegun: true }]);
      await expect(dyingReplica(2).payHolders(TICKER)).rejects.toThrow('killed');
    }
    seen.push((await paidAgents()).length);
    expect(seen).toEqual([0, PART, 2 * PART]);
    expect(await unexplained()).toEqual([]);
    // What the exchange says meanwhile changes no terms.
    outside.paid = [];
    outside.market(TICKER, { status: 'settled', result: 'yes', settlementValueUsdMicros: 1_000_000n });
    await settling().round();
    outside.paid = paid;
    await expectPaidOnce(agents);
    expect(await unexplained()).toEqual([]);
    expect(await heldMarkets()).toEqual([]);
  });

  it('pays each holder once, in parts of at most 1,000, when two replicas settle it at once', async () => {
    const agents = await holders(HOLDERS);
    callOff();
    const outcome = { ticker: TICKER, result: 'void', yesValueUsdMicros: VALUE, paid: outside.paid[0] } as const;
    const replicas = [keepersOf(test, outside).settlements, keepersOf(test, outside).settlements];
    const answers = await Promise.all(
      replicas.map(async (replica) => {
        const answer = await replica.begin(outcome);
        await replica.payHolders(TICKER);
        return answer;
      }),
    );
    expect(answers.sort()).toEqual(['begun', 'begun_earlier']);
    const parts = await test.rows<{ count: string }>(
      'select count(distinct agent_id) from settled_positions group by entry_id order by 1 desc',
    );
    expect(parts.map(({ count }) => Number(count))).toEqual([PART, PART, HOLDERS - 2 * PART]);
    await expectPaidOnce(agents);
  });
});

describe('a settlement between two parts', () => {
  it('pays an agent with both sides in one part, with one event', async () => {
    const agents = await holders(PART - 1);
    const both = newId();
    for (const side of ['yes', 'no'] as const) await bought(test, both, { ticker: TICKER, side, count: 100n });
    callOff();
    await settling().round();
    const events = await test.rows(
      'select from outbox where agent_id = $1 and position($2 in payload) > 0',
      both,
      Buffer.from('prediction_settlement'),
    );
    expect(events).toHaveLength(1);
    expect(await paidAgents()).toHaveLength(agents.length + 2);
    expect(await test.rows('select distinct entry_id from settled_positions')).toHaveLength(1);
  });

  it('rejects a sale by a holder who is not paid yet', async () => {
    const [agentId] = await holders(2);
    callOff();
    const outcome = { ticker: TICKER, result: 'void', yesValueUsdMicros: VALUE, paid: outside.paid[0] } as const;
    await dyingReplica(2).begin(outcome);
    const part = { ticker: TICKER, side: 'yes', count: 100n } as const;
    const sale = test.write((tx) => test.ledger.lockPosition(tx, operationOf(agentId!), part));
    await expect(sale).rejects.toMatchObject({ code: 'MARKET_CLOSED' });
  });
});
