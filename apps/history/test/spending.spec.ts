import { auditV1, historyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { silent } from '@agent-wallet/platform/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { PostgresSpendingStore } from '../src/adapters/postgres-spending-store.js';
import { RecordEvents } from '../src/application/record-events.js';
import { SumSpending } from '../src/application/sum-spending.js';
import { toSpendingKey } from '../src/grpc/spending-messages.js';
import type { SpendingKey } from '../src/ports/spending-store.js';
import { openTestStore, operationEvent, settledEvent, type TestStore } from './support.js';

const { OPERATION_STATUS_CONFIRMED, OPERATION_STATUS_FAILED } = auditV1.OperationStatus;
const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-11-01T00:00:00Z');

let store: TestStore;
let recording: RecordEvents;
let spending: SumSpending;
let agentId: string;

beforeAll(async () => {
  store = await openTestStore();
  recording = new RecordEvents(new PostgresEventStore(store.history), silent);
  spending = new SumSpending(new PostgresSpendingStore(store.history));
});
beforeEach(() => {
  agentId = newId();
});
afterAll(() => store.close());

interface Spent extends Partial<auditV1.OperationChanged> {
  readonly atMs?: number;
  /** Undefined while policy has not settled it. */
  readonly usd?: number | undefined;
}

/** Records operations, confirmed and worth a dollar at the start unless they say otherwise. */
async function record(...all: Spent[]): Promise<void> {
  const events = all.flatMap(({ atMs = START_MS, ...spent }) => {
    const { usd, ...change } = 'usd' in spent ? spent : { ...spent, usd: 1 };
    const known = { operationId: newId(), status: OPERATION_STATUS_CONFIRMED, createdAtMs: BigInt(atMs), ...change };
    const value = BigInt(usd ?? 0) * 1_000_000n;
    const settled = settledEvent(agentId, { operationId: known.operationId, step: 1, value });
    return [operationEvent(agentId, known), ...(usd === undefined ? [] : [settled])];
  });
  await recording.execute(events);
}

async function sum(by: SpendingKey, { fromMs = START_MS, toMs = START_MS + 30 * DAY_MS } = {}) {
  const { groups, other, totalUsdMicros, unknownCount } = await spending.execute({ agentId, fromMs, toMs, by });
  const shown = groups.map(({ key, usdMicros, count }) => [key, Number(usdMicros) / 1e6, count]);
  return { groups: shown, other, total: Number(totalUsdMicros) / 1e6, unknownCount };
}

describe('the sum of spending', () => {
  it('has the confirmed operations that spend, and no others', async () => {
    const actions = ['transfer', 'trade', 'prediction_buy', 'liquidity_add'];
    await record(...actions.map((action, i) => ({ action, usd: i + 1 })));
    const others = ['deposit', 'unwrap_sol', 'liquidity_remove', 'prediction_sell', 'prediction_withdrawal'];
    await record(...others.map((action) => ({ action, usd: 50 })), { status: OPERATION_STATUS_FAILED, usd: 50 });
    expect(await sum('action')).toEqual({
      groups: [
        ['liquidity_add', 4, 1],
        ['prediction_buy', 3, 1],
        ['trade', 2, 1],
        ['transfer', 1, 1],
      ],
      other: undefined,
      total: 10,
      unknownCount: 0,
    });
  });

  it('begins at the start of its time and ends before the end, with days in order', async () => {
    const times = [START_MS - 1, START_MS, START_MS + DAY_MS - 1, START_MS + DAY_MS, START_MS + 2 * DAY_MS];
    await record(...times.map((atMs, i) => ({ atMs, usd: 10 ** i })));
    const days = [
      ['2026-11-01', 110, 2],
      ['2026-11-02', 1000, 1],
    ];
    expect((await sum('day', { toMs: START_MS + 2 * DAY_MS })).groups).toEqual(days);
  });

  it('groups by recipient and token, the largest first', async () => {
    await record({ to: 'alice', asset: 'SOL' }, { to: 'bob', usd: 5 }, { to: 'alice' }, { to: '', usd: 3 });
    expect((await sum('recipient')).groups).toEqual([
      ['bob', 5, 1],
      ['', 3, 1],
      ['alice', 2, 2],
    ]);
    expect((await sum('token')).groups).toEqual([
      ['USDC', 9, 3],
      ['SOL', 1, 1],
    ]);
  });

  it('counts records without a known value, and adds nothing for them', async () => {
    await record({ usd: 2 }, { usd: undefined }, { to: 'carol', usd: undefined });
    const { groups, total, unknownCount } = await sum('recipient');
    expect({ counts: groups.map(([, usd, count]) => [usd, count]), total, unknownCount }).toEqual({
      counts: [
        [2, 2],
        [0, 1],
      ],
      total: 2,
      unknownCount: 2,
    });
  });

  it('has the 100 largest groups, and the others as one', async () => {
    await record(...Array.from({ length: 103 }, (_, i) => ({ to: `r${i}`, usd: i + 1 })), { to: 'r1' });
    const { groups, other, total } = await sum('recipient');
    expect(groups).toHaveLength(100);
    expect(groups.at(-1)).toEqual(['r3', 4, 1]);
    expect(other).toMatchObject({ key: undefined, usdMicros: 7_000_000n, count: 4 });
    expect(total).toBe((103 * 104) / 2 + 1);
  });

  it('has every day of the longest time', async () => {
    const range = { fromMs: START_MS + 1, toMs: START_MS + 366 * DAY_MS + 1 };
    await record(
      ...Array.from({ length: 367 }, (_, i) => ({ atMs: START_MS + 1 + Math.min(i * DAY_MS, 366 * DAY_MS - 1) })),
    );
    const { groups, other } = await sum('day', range);
    expect([groups.length, groups[0], groups.at(-1), other]).toEqual([
      367,
      ['2026-11-01', 1, 1],
      ['2027-11-02', 1, 1],
      undefined,
    ]);
  });

  it('is empty for another agent', async () => {
    await record({});
    agentId = newId();
    expect(await sum('day')).toEqual({ groups: [], other: undefined, total: 0, unknownCount: 0 });
  });

  it.each([
    ['from', { fromMs: -1 }],
    ['to', { toMs: START_MS }],
    ['to', { toMs: START_MS + 366 * DAY_MS + 1 }],
  ])('is refused for a wrong %s', async (field, range) => {
    await expect(sum('day', range)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it('is refused by an unknown key', () => {
    expect(() => toSpendingKey(historyV1.SpendingGrouping.UNRECOGNIZED)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field: 'by' })] }),
    );
  });
});
