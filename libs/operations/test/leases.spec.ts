import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@agent-wallet/kernel';
import type { OperationRecord } from '../src/index.js';
import { OperationStore } from '../src/store/operation-store.js';
import { World } from './world.js';

const LEASE_MS = 60_000;

let world: World;
let store: OperationStore;
beforeEach(async () => {
  world = await World.open();
  store = new OperationStore(world.database, LEASE_MS);
});
afterEach(() => world.close());

async function leased(): Promise<OperationRecord> {
  const { id, agentId, request } = world.call();
  const record: OperationRecord = {
    ...{ id, agentId, request, action: 'transfer', requestId: newId(), state: 'pending', revision: 0 },
    ...{ plan: undefined, error: undefined, createdAtMs: Date.now(), fence: 1n, attempt: undefined },
  };
  await store.insert(record);
  return record;
}

async function endLeases(): Promise<void> {
  await world.database.pool.query('update operations set due_at = clock_timestamp()');
}

async function isLeased({ id }: OperationRecord): Promise<boolean> {
  const sql = 'select from operations where id = $1 and due_at > clock_timestamp()';
  return (await world.database.pool.query(sql, [id])).rowCount === 1;
}

describe('leases', () => {
  it('are prolonged together; those in other hands, and of what has ended, are lost', async () => {
    const [kept, taken, ended] = [await leased(), await leased(), await leased()];
    await world.database.pool.query('update operations set fence = 2 where id = $1', [taken.id]);
    await world.database.pool.query("update operations set state = 'failed' where id = $1", [ended.id]);
    await endLeases();
    expect(await store.renew([kept, taken, ended])).toEqual(new Set([taken.id, ended.id]));
    expect([await isLeased(kept), await isLeased(taken), await isLeased(ended)]).toEqual([true, false, false]);
  });

  it('are prolonged while one operation is being written for long, and that one is not lost', async () => {
    const [written, other] = [await leased(), await leased()];
    await endLeases();
    await world.database.transaction(async (tx) => {
      await tx.query('select from operations where id = $1 for update', [written.id]);
      expect(await store.renew([written, other])).toEqual(new Set());
      expect([await isLeased(written), await isLeased(other)]).toEqual([false, true]);
      // Nobody takes it in the middle.
      expect(await store.claim(['transfer'], 10)).toEqual([]);
    });
    expect(await store.renew([written, other])).toEqual(new Set());
    expect(await isLeased(written)).toBe(true);
  });
});
