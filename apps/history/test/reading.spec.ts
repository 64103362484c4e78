import { auditV1, historyV1, predictionV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import {
  loadTls,
  openRpcClient,
  type RpcClient,
  type RunningGrpcService,
  type ServiceName,
} from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { eventually, testCertificates } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { RecordEvents } from '../src/application/record-events.js';
import { startHistory } from '../src/index.js';
import { type Door, openDoor } from './history-server.js';
import { FACTS, openTestStore, operationEvent, type TestStore } from './support.js';

type Client = RpcClient<typeof historyV1.HistoryServiceService>;

const SERVICES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history'] as const;
const DAY_MS = 1_700_000_000_000n;

let certificates: Awaited<ReturnType<typeof testCertificates<ServiceName>>>;
let store: TestStore;
let door: Door;
let service: RunningGrpcService;
let recording: RecordEvents;
let gateway: Client;
const clients: Client[] = [];

// One service for all tests: each reads agents of its own.
beforeAll(async () => {
  certificates = await testCertificates<ServiceName>(SERVICES);
  store = await openTestStore();
  recording = new RecordEvents(new PostgresEventStore(store.history), silent);
  door = await openDoor(store.connection.port);
  const database = { ...store.connection, port: door.port };
  service = await startHistory(
    {
      grpcAddress: '127.0.0.1:0',
      database,
      tls: certificates.history,
      logLevel: 'silent',
      stream: { kind: 'postgres' },
      checkpoints: { signerAddress: '127.0.0.1:1', intervalMs: 10_000 },
    },
    { logger: silent },
  );
  gateway = await clientOf('gateway');
});
afterAll(async () => {
  clients.splice(0).forEach((client) => client.close());
  await service.stop();
  await door.close();
  await store.close();
});

async function clientOf(name: ServiceName): Promise<Client> {
  const client = openRpcClient({
    definition: historyV1.HistoryServiceService,
    peer: { address: service.address, service: 'history' },
    tls: await loadTls(certificates[name]),
  });
  clients.push(client);
  return client;
}

/** Records operations of an agent, `count` of them, a second apart or all in the same millisecond. */
async function recordMany(
  agentId: string,
  count: number,
  { spreadMs = 1_000, action = 'transfer' } = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await recording.execute(
    ids.map((operationId, i) =>
      operationEvent(agentId, { operationId, action, createdAtMs: DAY_MS + BigInt(i * spreadMs) }),
    ),
  );
  return ids.reverse();
}

const list = (agentId: string, query: Partial<historyV1.ListTransactionsRequest> = {}) =>
  gateway.listTransactions({ agentId, limit: 100, offset: 0, action: '', cursor: '', order: 0, ...query });
const idsOf = (page: historyV1.ListTransactionsResponse) => page.transactions.map((transaction) => transaction.id);

describe('a page of history', () => {
  it('shows an event of the stream soon, with every field', async () => {
    const agentId = newId();
    const operationId = newId();
    await store.publish(operationEvent(agentId, { operationId, amount: 2n ** 64n - 1n, signature: 'sig' }));
    await eventually(async () => (await list(agentId)).total === 1n);
    const expected = {
      id: operationId,
      action: 'transfer',
      asset: 'USDC',
      amount: 2n ** 64n - 1n,
      decimals: 6,
      to: '11111111111111111111111111111112',
      signature: 'sig',
      status: 'pending',
      facts: FACTS,
      createdAtMs: DAY_MS,
      updatedAtMs: DAY_MS,
    };
    expect((await list(agentId)).transactions).toEqual([expected]);
    expect(await gateway.getTransaction({ agentId, transactionId: operationId })).toEqual({ transaction: expected });
  });

  it('leaves out an amount that there is not', async () => {
    const agentId = newId();
    await recording.execute([operationEvent(agentId, { amount: undefined, decimals: 0 })]);
    expect((await list(agentId)).transactions[0]?.amount).toBeUndefined();
  });

  it('is newest first, of this agent alone', async () => {
    const agentId = newId();
    const ids = await recordMany(agentId, 5);
    await recordMany(newId(), 5);
    const page = await list(agentId);
    expect(idsOf(page)).toEqual(ids);
    expect(page.total).toBe(5n);
  });

  it('is one of pages that together are everything once, within one millisecond too', async () => {
    const agentId = newId();
    const ids = await recordMany(agentId, 23, { spreadMs: 0 });
    const pages = await Promise.all([0, 5, 10, 15, 20, 25].map((offset) => list(agentId, { limit: 5, offset })));
    expect(pages.flatMap(idsOf)).toEqual([...ids].sort().reverse());
    expect(pages.map((page) => page.transactions.length)).toEqual([5, 5, 5, 5, 3, 0]);
    expect(pages.map((page) => page.total)).toEqual(Array(6).fill(23n));
  });

  it('has no trace of what was dropped: not in the list, the total, a filter or by its id', async () => {
    const agentId = newId();
    const [kept] = await recordMany(agentId, 1, { action: 'deposit' });
    const operationId = newId();
    const status = auditV1.OperationStatus.OPERATION_STATUS_DROPPED;
    await recording.execute([operationEvent(agentId, { operationId, action: 'deposit' })]);
    expect((await list(agentId)).total).toBe(2n);
    await recording.execute([operationEvent(agentId, { operationId, action: 'deposit', status, revision: 2 })]);
    for (const query of [{}, { action: 'deposit' }]) {
      const page = await list(agentId, query);
      expect([page.total, idsOf(page)]).toEqual([1n, [kept]]);
    }
    await expect(gateway.getTransaction({ agentId, transactionId: operationId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('filters by action and counts what it filters', async () => {
    const agentId = newId();
    await recordMany(agentId, 3);
    const deposits = await recordMany(agentId, 2, { action: 'deposit' });
    const page = await list(agentId, { action: 'deposit', limit: 1 });
    expect(idsOf(page)).toEqual(deposits.slice(0, 1));
    expect(page.total).toBe(2n);
    expect(await list(agentId, { action: 'nonsense' })).toEqual({
      transactions: [],
      total: 0n,
      hasMore: false,
      nextCursor: '',
    });
  });

  it('filters an order that filled nothing as cancelled, as it shows it', async () => {
    const agentId = newId();
    await recordMany(agentId, 2);
    const empty = predictionV1.BuyFacts.decode(new Uint8Array());
    const unfilled = { ...predictionV1.Order.decode(new Uint8Array()), ticker: 'KXFED-26', status: 3 };
    const change = {
      operationId: newId(),
      status: auditV1.OperationStatus.OPERATION_STATUS_CONFIRMED,
      action: 'prediction_buy',
      facts: { action: { $case: 'predictionBuy', value: { ...empty, order: unfilled } } as const, errorJson: '' },
    };
    await recording.execute([operationEvent(agentId, change), operationEvent(agentId, { status: change.status })]);
    const filter = { status: 'cancelled', recipient: '', search: '' };
    const page = await list(agentId, { filter });
    expect(page.transactions).toMatchObject([{ id: change.operationId, status: 'cancelled' }]);
    const confirmed = await list(agentId, { filter: { ...filter, status: 'confirmed' } });
    expect(confirmed.transactions.map(({ status }) => status)).toEqual(['confirmed']);
    expect(idsOf(await list(agentId, { filter: { ...filter, status: '', search: 'kxFED' } }))).toEqual([
      change.operationId,
    ]);
  });

  it('follows cursors to the end, where there is none, with and without a filter', async () => {
    const agentId = newId();
    const ids = await recordMany(agentId, 7, { spreadMs: 0 });
    for (const action of ['', 'transfer']) {
      const seen: string[] = [];
      for (let cursor: string | undefined; cursor !== '';) {
        const page = await list(agentId, { limit: 3, action, cursor: cursor ?? '' });
        seen.push(...idsOf(page));
        expect([page.total, page.hasMore]).toEqual([7n, page.nextCursor !== '']);
        cursor = page.nextCursor;
      }
      expect(seen).toEqual([...ids].sort().reverse());
    }
    const empty = await list(newId(), { cursor: (await list(agentId, { limit: 3 })).nextCursor });
    expect(empty).toEqual({ transactions: [], total: 0n, hasMore: false, nextCursor: '' });
  });

  it('by latest change brings what is recorded late, and each record as it is now', async () => {
    const agentId = newId();
    const order = historyV1.TransactionOrder.TRANSACTION_ORDER_RECORDED;
    const [newest, oldest] = await recordMany(agentId, 2);
    const first = await list(agentId, { order, limit: 1 });
    expect([idsOf(first), first.hasMore]).toEqual([[oldest], true]);
    const second = await list(agentId, { order, limit: 1, cursor: first.nextCursor });
    expect([idsOf(second), second.hasMore]).toEqual([[newest], false]);
    const late = newId();
    await recording.execute([
      operationEvent(agentId, { operationId: late, action: 'deposit', createdAtMs: 1n }),
      operationEvent(agentId, { operationId: oldest!, revision: 2, signature: 'sig' }),
    ]);
    const third = await list(agentId, { order, cursor: second.nextCursor });
    expect([idsOf(third), third.hasMore, third.total]).toEqual([[late, oldest], false, 3n]);
    expect(third.transactions[1]).toMatchObject({ signature: 'sig', createdAtMs: DAY_MS });
    const deposits = await list(agentId, { order, action: 'deposit', cursor: second.nextCursor });
    expect(idsOf(deposits)).toEqual([late]);
    const last = await list(agentId, { order, cursor: third.nextCursor });
    expect([idsOf(last), last.nextCursor]).toEqual([[], third.nextCursor]);
  });

  it('by latest change brings what the chain has undone, as dropped until it lands again', async () => {
    const agentId = newId();
    const order = historyV1.TransactionOrder.TRANSACTION_ORDER_RECORDED;
    const deposit = { operationId: newId(), action: 'deposit' };
    const { OPERATION_STATUS_DROPPED, OPERATION_STATUS_CONFIRMED } = auditV1.OperationStatus;
    await recording.execute([operationEvent(agentId, deposit)]);
    const { nextCursor } = await list(agentId, { order });
    await recording.execute([operationEvent(agentId, { ...deposit, revision: 2, status: OPERATION_STATUS_DROPPED })]);
    for (const action of ['', 'deposit']) {
      const undone = await list(agentId, { order, action, cursor: nextCursor });
      expect(undone.transactions).toMatchObject([{ id: deposit.operationId, status: 'dropped', updatedAtMs: DAY_MS }]);
      expect([undone.total, undone.hasMore]).toEqual([0n, false]);
    }
    await recording.execute([operationEvent(agentId, { ...deposit, revision: 3, status: OPERATION_STATUS_CONFIRMED })]);
    const { transactions } = await list(agentId, { order, cursor: nextCursor });
    expect(transactions).toMatchObject([{ id: deposit.operationId, status: 'confirmed' }]);
  });

  it.each(['x', 'MTI', Buffer.from('12.x').toString('base64url')])('refuses the cursor %p', async (cursor) => {
    const refused = list(newId(), { cursor });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'cursor' }] });
  });

  it('skips no record while others are added', async () => {
    const agentId = newId();
    const known = await recordMany(agentId, 60);
    const seen: string[] = [];
    for (let offset = 0; offset < 100; offset += 7) {
      const page = await list(agentId, { limit: 7, offset });
      seen.push(...idsOf(page));
      await recording.execute([operationEvent(agentId, { createdAtMs: DAY_MS * 2n + BigInt(offset) })]);
    }
    expect(known.filter((id) => !seen.includes(id))).toEqual([]);
  });

  it('counts exactly what it shows while records are added', async () => {
    const agentId = newId();
    let added = 0;
    const adding = (async () => {
      for (; added < 90; added += 1) await recording.execute([operationEvent(agentId)]);
    })();
    const pages: historyV1.ListTransactionsResponse[] = [];
    while (added < 90) pages.push(await list(agentId));
    await adding;
    pages.push(await list(agentId));
    expect(pages.map(({ transactions }) => transactions.length)).toEqual(pages.map(({ total }) => Number(total)));
    expect(pages.at(-1)?.total).toBe(90n);
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ offset: 2 ** 31 }, 'offset'],
    [{ agentId: 'me' }, 'agentId'],
    [{ action: 'a\0' }, 'action'],
  ])('is refused for %j', async (query, field) => {
    await expect(list(newId(), query)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  it.each([{ limit: 1 }, { limit: 100 }, { offset: 2 ** 31 - 1 }])('is answered for %j', async (query) => {
    expect(await list(newId(), query)).toEqual({ transactions: [], total: 0n, hasMore: false, nextCursor: '' });
  });

  it('says that it cannot be read now while the database is away', async () => {
    const agentId = newId();
    const [id] = await recordMany(agentId, 1);
    await door.close();
    await expect(list(agentId)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const one = gateway.getTransaction({ agentId, transactionId: id! });
    await expect(one).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await door.open();
    expect(idsOf(await list(agentId))).toEqual([id]);
  });
});

describe('one record', () => {
  it.each(['of another agent', 'that does not exist', 'whose id is not a UUID'])('%s is not found', async (which) => {
    const [foreign] = await recordMany(newId(), 1);
    const transactionId = { 'of another agent': foreign!, 'that does not exist': newId() }[which] ?? 'x';
    await expect(gateway.getTransaction({ agentId: newId(), transactionId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('is refused for an agent that is not a UUID', async () => {
    const call = gateway.getTransaction({ agentId: '', transactionId: newId() });
    await expect(call).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('callers', () => {
  it.each(SERVICES.filter((name) => name !== 'gateway'))('%s may read nothing', async (name) => {
    const client = await clientOf(name);
    const agentId = newId();
    const calls = [
      client.listTransactions({ agentId, limit: 1, offset: 0, action: '', cursor: '', order: 0 }),
      client.getTransaction({ agentId, transactionId: newId() }),
    ];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' })));
  });
});
