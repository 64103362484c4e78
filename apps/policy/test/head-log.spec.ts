import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresHeadLog } from '../src/adapters/postgres-head-log.js';
import { type ReservationsUnderTest, newAgent, openStore, request } from './store-support.js';

let opened: ReservationsUnderTest;
let heads: PostgresHeadLog;

beforeAll(async () => {
  opened = await openStore();
  heads = new PostgresHeadLog(opened.database.policy);
});
afterAll(() => opened.close());

/** Notes a head at a time. */
async function noteAt(shift: string, blockHeight: number, slot = blockHeight + 1_000): Promise<void> {
  await opened.database.shiftClock(shift);
  await heads.observe(async () => ({ blockHeight, slot }));
}

async function noted(): Promise<number[]> {
  const rows = await opened.database.rows<{ height: string }>('select height from chain_heads order by height');
  return rows.map(({ height }) => Number(height));
}

describe('heads', () => {
  it('are kept for a day, and around an attempt for as long as it is open', async () => {
    const asked = request(await newAgent(opened.database));
    await noteAt('0', 1);
    await noteAt('3 hours', 2);
    await opened.store.reserve(asked);
    await noteAt('3 hours 5 minutes', 3);
    await noteAt('6 hours', 4);
    await noteAt('24 hours 1 minute', 5);
    expect(await noted()).toEqual([2, 3, 4, 5]);
    await noteAt('5 days', 6);
    expect(await noted()).toEqual([2, 3, 6]);
    expect(await heads.slotBefore(asked)).toBe(1_002);
    await opened.store.settle((await opened.store.find(asked))!, { state: 'expired' });
    await noteAt('5 days 1 minute', 7);
    expect(await noted()).toEqual([6, 7]);
  });

  it('tell a slot after all blocks of a height, once there are thirty above it: the highest of theirs', async () => {
    for (let height = 101; height < 130; height += 1) await noteAt('5 days', height);
    expect(await heads.slotAfter(100)).toBe(Infinity);
    // What a node claims of a block is less than what others do.
    await noteAt('5 days', 130, 500);
    expect(await heads.slotAfter(100)).toBe(1_129);
    await noteAt('5 days', 131);
    expect(await heads.slotAfter(100)).toBe(1_129);
    expect(await heads.slotAfter(101)).toBe(1_131);
    expect(await heads.slotAfter(102)).toBe(Infinity);
  });
});
