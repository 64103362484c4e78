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
  store = new OperationStore(world.database, [world.kind], LEASE_MS);
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

function fail(id: string, error: Error): void {
  throw new Error(`operation ${id}`, { cause: error });
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
      // No other worker takes it in the middle.
      expect(await store.claim(['transfer'], 10, { unreadable: fail })).toEqual([]);
    });
    expect(await store.renew([written, other])).toEqual(new Set());
    expect(await isLeased(written)).toBe(true);
  });
});

describe('an operation whose plan cannot be read', () => {
  it('stays out of the way of the others, and operators see it', async () => {
    const [good, bad] = [await leased(), await leased()];
    await world.database.pool.query(`update operations set plan = '{"amount":7}' where id = $1`, [bad.id]);
    await endLeases();
    const unreadable = new Map<string, string>();
    const note = (id: string, { message }: Error) => void unreadable.set(id, message);
    const claimed = await store.claim(['transfer'], 10, { unreadable: note });
    expect(claimed.map(({ id }) => id)).toEqual([good.id]);
    expect(unreadable).toEqual(new Map([[bad.id, 'plan.amount must be a string']]));
    await expect(store.load(bad.id)).rejects.toThrow('plan.amount must be a string');
    expect((await store.listOpen(Date.now(), 10)).map(({ id }) => id)).toEqual([good.id, bad.id]);
  });

  it('is of an action that another version of the service has: it is loaded without its plan, and not written', async () => {
    const { id } = await leased();
    await world.database.pool.query(`update operations set action = 'other', plan = '{"x":1}' where id = $1`, [id]);
    const found = (await store.load(id))!;
    expect(found.plan).toBeUndefined();
    const change = store.change({ ...found, plan: { x: 1 } }, { event: undefined, next: 'open' });
    await expect(change).rejects.toThrow('operations of other cannot be stored here');
  });
});
