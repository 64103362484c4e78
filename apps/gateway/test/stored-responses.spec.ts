import { silent } from '@agent-wallet/platform/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, Secret } from '@agent-wallet/kernel';
import { type Database, migrate, openDatabase, type Queryable } from '@agent-wallet/platform';
import { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { purgeExpired } from '../src/adapters/housekeeping.js';
import { PostgresIdempotencyStore } from '../src/adapters/postgres-idempotency-store.js';
import { gatewayMigrations } from '../src/index.js';
import { KEY_RETENTION_MS } from '../src/ports/idempotency-store.js';
import { TestClock } from './world.js';

const clock = new TestClock();
const HASH = Buffer.alloc(32, 7);
let test: TestDatabase<'gateway'>;
let database: Database;
let store: PostgresIdempotencyStore;
const stores: PostgresIdempotencyStore[] = [];

beforeAll(async () => {
  test = await openTestDatabase(['gateway']);
  const { gateway } = test.schemas;
  const connection = { ...gateway, password: new Secret(gateway.password) };
  database = openDatabase({ connection, schema: 'gateway', logger: silent });
  await migrate(database, gatewayMigrations.directory);
});
beforeEach(() => {
  clock.reset();
  store = opened();
});
afterAll(async () => {
  for (const each of stores) each.stop();
  await database.close();
  await test.close();
});

function opened(pool: Queryable = database.pool, keysRemembered?: number): PostgresIdempotencyStore {
  const one = new PostgresIdempotencyStore(pool, clock, silent, keysRemembered);
  stores.push(one);
  return one;
}

/** A store, and how many keys it looked up by each statement. */
function counting(keysRemembered?: number) {
  const groups: number[] = [];
  const query = (statement: { readonly name: string; readonly values: readonly unknown[] }) => {
    if (statement.name === 'stored-responses') groups.push((statement.values[0] as string[]).length);
    return database.pool.query(statement as never);
  };
  return { counted: opened({ query } as never, keysRemembered), groups };
}

const request = (agentId: string, key: string) => ({
  ...{ operationId: newId(), agentId, key, hash: HASH, action: 'transfer', input: {} },
});

/** A request whose final response is stored. */
async function answered(agentId: string, key: string, by = store): Promise<string> {
  const asked = request(agentId, key);
  await by.claim(asked);
  await by.finish(asked.operationId, { statusCode: 200, message: 'Done.', dataJson: `"${asked.operationId}"` });
  return asked.operationId;
}

describe('stored responses', () => {
  it('are read together, and each is its own agent’s, in the order in which they were asked for', async () => {
    const { counted, groups } = counting();
    const agents = Array.from({ length: 12 }, () => newId());
    const operations = await Promise.all(
      agents.map(async (agent, i) => (i % 3 === 2 ? undefined : answered(agent, 'same', counted))),
    );
    const open = agents.filter((_, i) => i % 3 === 2);
    await Promise.all(open.map((agent) => counted.claim(request(agent, 'same'))));
    const found = await Promise.all(agents.map((agent) => counted.stored(agent, 'same')));
    expect(found.map((one) => one?.response.dataJson)).toEqual(operations.map((id) => id && `"${id}"`));
    expect(found[0]).toEqual({
      hash: HASH,
      response: { statusCode: 200, message: 'Done.', dataJson: `"${operations[0]}"` },
    });
    expect(groups).toEqual([1, 11]);
  });

  it('are looked up for a key that was asked for here, and only then: the claim finds them, too', async () => {
    const agentId = newId();
    const operationId = await answered(agentId, 'key');
    expect(await store.stored(agentId, 'key')).toMatchObject({ response: { dataJson: `"${operationId}"` } });
    const elsewhere = opened();
    expect(await elsewhere.stored(agentId, 'key')).toBeUndefined();
    const claimed = await elsewhere.claim(request(agentId, 'key'));
    expect(claimed).toMatchObject({ isOurs: false, record: { operationId, state: 'final' } });
    expect(await elsewhere.stored(agentId, 'key')).toMatchObject({ hash: HASH });
  });

  it('are looked up for as many keys as are remembered, the newest', async () => {
    const { counted, groups } = counting(2);
    const agentId = newId();
    for (const key of ['a', 'b', 'c']) await answered(agentId, key, counted);
    const found = await Promise.all(['a', 'b', 'c'].map((key) => counted.stored(agentId, key)));
    expect(found.map((one) => one !== undefined)).toEqual([false, true, true]);
    expect(groups).toEqual([1, 1]);
  });

  it('are none while the outcome is open', async () => {
    const [agentId, operationId] = [newId(), newId()];
    await store.claim({ ...request(agentId, 'key'), operationId });
    expect(await store.stored(agentId, 'key')).toBeUndefined();
    await store.submitted(operationId, '');
    expect(await store.stored(agentId, 'key')).toBeUndefined();
    await store.finish(operationId, { statusCode: 400, message: 'No.', dataJson: '{}' });
    expect(await store.stored(agentId, 'key')).toMatchObject({ response: { statusCode: 400 } });
  });

  it('are read for 24 hours to the millisecond; then the key is free', async () => {
    const startedAtMs = clock.nowMs();
    clock.stopAt(startedAtMs);
    const agentId = newId();
    const operationId = await answered(agentId, 'key');
    clock.stopAt(startedAtMs + KEY_RETENTION_MS - 1);
    expect(await store.stored(agentId, 'key')).toBeDefined();
    const held = await store.claim(request(agentId, 'key'));
    expect(held).toMatchObject({ isOurs: false, record: { operationId, state: 'final' } });
    clock.stopAt(startedAtMs + KEY_RETENTION_MS);
    expect(await store.stored(agentId, 'key')).toBeUndefined();
    const next = request(agentId, 'key');
    const claimed = await store.claim({ ...next, hash: Buffer.alloc(32, 8) });
    const { operationId: nextId } = next;
    const record = { operationId: nextId, state: 'claimed', fence: 1, createdAtMs: clock.nowMs(), response: undefined };
    expect(claimed).toMatchObject({ isOurs: true, record });
    expect(await store.find(agentId, operationId)).toBeUndefined();
  });

  it('free their key for one of many requests at once', async () => {
    const startedAtMs = clock.nowMs();
    clock.stopAt(startedAtMs);
    const agentId = newId();
    const old = await answered(agentId, 'key');
    clock.stopAt(startedAtMs + KEY_RETENTION_MS);
    const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(request(agentId, 'key'))));
    const ids = new Set(claims.map(({ record }) => record.operationId));
    expect([claims.filter(({ isOurs }) => isOurs).length, ids.size, ids.has(old)]).toEqual([1, 1, false]);
  });

  it('are deleted after 24 hours', async () => {
    const startedAtMs = clock.nowMs();
    clock.stopAt(startedAtMs);
    const agentId = newId();
    const operationId = await answered(agentId, 'key');
    const afterPurge = async (afterMs: number) => {
      clock.stopAt(startedAtMs + afterMs);
      while (await purgeExpired(database, clock));
      return store.find(agentId, operationId);
    };
    expect(await afterPurge(KEY_RETENTION_MS - 1)).toMatchObject({ operationId });
    expect(await afterPurge(KEY_RETENTION_MS)).toBeUndefined();
  });

  it('free each key while their records are being removed', async () => {
    const endedAtMs = clock.nowMs();
    clock.stopAt(endedAtMs);
    const agentIds = Array.from({ length: 40 }, () => newId());
    for (const agentId of agentIds) {
      const record = request(agentId, 'raced');
      await store.claim(record);
      await store.finish(record.operationId, { statusCode: 200, message: 'Done.', dataJson: '{}' });
    }
    clock.stopAt(endedAtMs + KEY_RETENTION_MS);
    const purging = purgeExpired(database, clock);
    const claims = await Promise.all(agentIds.map((agentId) => store.claim(request(agentId, 'raced'))));
    await purging;
    expect(claims.filter(({ isOurs }) => isOurs)).toHaveLength(agentIds.length);
    for (const { record } of claims) expect(await store.find(record.agentId, record.operationId)).toBeDefined();
  });
});

describe('a record that was left open and cannot be read', () => {
  it('is parked, and the others of its round go on', async () => {
    const [bad, good] = [request(newId(), 'bad'), request(newId(), 'good')];
    const logged: string[] = [];
    const noting = { ...silent, error: ({ operationId }: { operationId: string }) => logged.push(operationId) };
    const one = new PostgresIdempotencyStore(database.pool, clock, noting as never);
    stores.push(one);
    for (const asked of [bad, good]) {
      await one.claim(asked);
      await one.submitted(asked.operationId, '');
    }
    await database.pool.query(`update idempotency_records set input = '{"amount":' where operation_id = $1`, [
      bad.operationId,
    ]);
    const taken: string[] = [];
    const round = async () => {
      const open = await one.takeLeftOpen(20, 1_000);
      taken.push(...open.map(({ operationId }) => operationId));
    };
    clock.aheadMs += 3_000;
    await round();
    clock.aheadMs += 60_000;
    await round();
    expect(taken.filter((id) => id === bad.operationId || id === good.operationId)).toEqual([
      good.operationId,
      good.operationId,
    ]);
    expect(logged).toEqual([bad.operationId]);
    clock.aheadMs += 3_600_000;
    await round();
    expect(logged).toEqual([bad.operationId, bad.operationId]);
  });
});
