import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, Secret } from '@agent-wallet/kernel';
import { createLogger, type Database, migrate, openDatabase } from '@agent-wallet/platform';
import { openTestDatabase, type TestDatabase } from '@agent-wallet/testing';
import { ClaimKeeper } from '../src/adapters/postgres/claim-keeper.js';
import { ANSWER_RETENTION_MS, KeptAnswers } from '../src/adapters/postgres/kept-answers.js';
import { PostgresRequestStore } from '../src/adapters/postgres/request-store.js';
import { gatewayMigrations } from '../src/index.js';
import { TestClock } from './world.js';

const clock = new TestClock();
const HASH = Buffer.alloc(32, 7);
let test: TestDatabase<'gateway'>;
let database: Database;
let keeper: ClaimKeeper;
let store: PostgresRequestStore;

beforeAll(async () => {
  test = await openTestDatabase(['gateway']);
  const { gateway } = test.schemas;
  const connection = { ...gateway, password: new Secret(gateway.password) };
  const logger = createLogger('test', 'silent');
  database = openDatabase({ connection, schema: 'gateway', logger });
  await migrate(database, gatewayMigrations.directory);
  keeper = new ClaimKeeper(database.pool, clock, logger);
}, 60_000);
beforeEach(() => {
  clock.reset();
  store = new PostgresRequestStore(database, keeper, clock);
});
afterAll(async () => {
  keeper.stop();
  await database.close();
  await test.close();
});

/** Answers by key, and how many questions went by each statement. */
function open(keysRemembered?: number) {
  const groups: number[] = [];
  const query = (statement: { readonly values: readonly unknown[] }) => {
    groups.push((statement.values[0] as string[]).length);
    return database.pool.query(statement as never);
  };
  return { answers: new KeptAnswers({ query } as never, clock, keysRemembered), groups };
}

const request = (agentId: string, key: string) => ({
  ...{ operationId: newId(), agentId, key, hash: HASH, action: 'transfer', inputJson: '{}' },
});

/** A request whose final answer is kept. */
async function answered(agentId: string, key: string): Promise<string> {
  const asked = request(agentId, key);
  await store.claim(asked);
  await store.finish(asked.operationId, { statusCode: 200, message: 'Done.', dataJson: `"${asked.operationId}"` });
  return asked.operationId;
}

describe('kept answers', () => {
  it('are read together, and each is its own agent’s, in the order in which they were asked for', async () => {
    const { answers, groups } = open();
    const agents = Array.from({ length: 12 }, () => newId());
    const operations = await Promise.all(
      agents.map(async (agent, i) => (i % 3 === 2 ? undefined : answered(agent, 'same'))),
    );
    for (const agent of agents) answers.expect(agent, 'same');
    const found = await Promise.all(agents.map((agent) => answers.find(agent, 'same')));
    expect(found.map((one) => one?.answer.dataJson)).toEqual(operations.map((id) => id && `"${id}"`));
    expect(found[0]).toEqual({
      hash: HASH,
      answer: { statusCode: 200, message: 'Done.', dataJson: `"${operations[0]}"` },
    });
    expect(groups).toEqual([1, 11]);
  });

  it('are looked up for a key that was asked for here, and only then: the claim finds them, too', async () => {
    const agentId = newId();
    const operationId = await answered(agentId, 'key');
    expect(await store.answered(agentId, 'key')).toMatchObject({ answer: { dataJson: `"${operationId}"` } });
    const elsewhere = new PostgresRequestStore(database, keeper, clock);
    expect(await elsewhere.answered(agentId, 'key')).toBeUndefined();
    expect(await elsewhere.claim(request(agentId, 'key'))).toMatchObject({ operationId, state: 'final' });
    expect(await elsewhere.answered(agentId, 'key')).toMatchObject({ hash: HASH });
  });

  it('are looked up for as many keys as are remembered, the newest', async () => {
    const { answers, groups } = open(2);
    const agentId = newId();
    for (const key of ['a', 'b', 'c']) {
      await answered(agentId, key);
      answers.expect(agentId, key);
    }
    const found = await Promise.all(['a', 'b', 'c'].map((key) => answers.find(agentId, key)));
    expect(found.map((one) => one !== undefined)).toEqual([false, true, true]);
    expect(groups).toEqual([1, 1]);
  });

  it('are none while the outcome is open', async () => {
    const [agentId, operationId] = [newId(), newId()];
    await store.claim({ ...request(agentId, 'key'), operationId });
    expect(await store.answered(agentId, 'key')).toBeUndefined();
    await store.submitted(operationId, '');
    expect(await store.answered(agentId, 'key')).toBeUndefined();
    await store.finish(operationId, { statusCode: 400, message: 'No.', dataJson: '{}' });
    expect(await store.answered(agentId, 'key')).toMatchObject({ answer: { statusCode: 400 } });
  });

  it('are read for 24 hours to the millisecond; then the key is free', async () => {
    const startedAtMs = clock.nowMs();
    clock.stopAt(startedAtMs);
    const agentId = newId();
    const operationId = await answered(agentId, 'key');
    clock.stopAt(startedAtMs + ANSWER_RETENTION_MS - 1);
    expect(await store.answered(agentId, 'key')).toBeDefined();
    expect(await store.claim(request(agentId, 'key'))).toMatchObject({ operationId, state: 'final' });
    clock.stopAt(startedAtMs + ANSWER_RETENTION_MS);
    expect(await store.answered(agentId, 'key')).toBeUndefined();
    const anew = request(agentId, 'key');
    expect(await store.claim(anew)).toEqual({ operationId: anew.operationId, fence: 1 });
    expect(await store.answered(agentId, 'key')).toBeUndefined();
  });
});
