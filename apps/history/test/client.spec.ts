import { connect, type Connection, historyV1 } from '@agent-wallet/client';
import { newId } from '@agent-wallet/kernel';
import type { RunningGrpcService, ServiceName } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { testCertificates } from '@agent-wallet/testing';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { RecordEvents } from '../src/application/record-events.js';
import { startHistory } from '../src/index.js';
import { recentTransactions } from './client-example.js';
import { openTestStore, operationEvent, type TestStore } from './support.js';

let certificates: Awaited<ReturnType<typeof testCertificates<ServiceName>>>;
let store: TestStore;
let services: RunningGrpcService[];
const connections: Connection[] = [];

/** The files that a service calls with. */
const filesOf = (name: ServiceName) => ({ caPath: certificates[name].caPath, ...certificates[name].client });

/** Calls both replicas under a service's name. */
async function callAs(name: ServiceName) {
  const address = `ipv4:${services.map((service) => service.address).join(',')}`;
  const connection = await connect({ address, service: 'history', tls: filesOf(name) });
  connections.push(connection);
  return connection.client(historyV1.HistoryServiceDefinition);
}

beforeAll(async () => {
  certificates = await testCertificates<ServiceName>(['history', 'gateway', 'wallet']);
  store = await openTestStore();
  const start = () =>
    startHistory(
      {
        ...{ grpcAddress: '127.0.0.1:0', database: store.connection, tls: certificates.history, logLevel: 'silent' },
        stream: { kind: 'postgres' },
        checkpoints: { signerAddress: '127.0.0.1:1', intervalMs: 10_000 },
      },
      { logger: silent },
    );
  services = [await start(), await start()];
});

afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await Promise.all(services.map((service) => service.stop()));
  await store.close();
});

describe('a team that calls with the client package', () => {
  it('reads what our own services read', async () => {
    const agentId = newId();
    await new RecordEvents(new PostgresEventStore(store.history), silent).execute([
      operationEvent(agentId, { action: 'transfer', amount: 64_100_000n }),
    ]);
    const history = await callAs('gateway');
    const page = await history.listTransactions({ agentId, limit: 10, offset: 0, action: '', cursor: '', order: 0 });
    expect(page.total).toBe(1n);
    const [{ id, amount }] = page.transactions as [historyV1.Transaction];
    expect(amount).toBe(64_100_000n);
    expect((await history.getTransaction({ agentId, transactionId: id })).transaction).toEqual(page.transactions[0]);
  });

  it('may begin with the example of the README, which is what this runs', async () => {
    const example = await readFile(path.join(import.meta.dirname, 'client-example.ts'), 'utf8');
    const readme = path.join(import.meta.dirname, '..', '..', '..', 'libs', 'client', 'README.md');
    expect(await readFile(readme, 'utf8')).toContain(example.trim());
    const [{ address }] = services as [RunningGrpcService];
    expect(await recentTransactions(address, filesOf('gateway'), newId())).toBe('0 records');
  });

  it('gets the errors of the catalogue', async () => {
    const history = await callAs('gateway');
    const agentId = newId();
    await expect(history.getTransaction({ agentId, transactionId: newId() })).rejects.toMatchObject({
      ...{ name: 'CallError', code: 'NOT_FOUND', status: status.NOT_FOUND, retryable: false, attempts: 1 },
    });
    await expect(
      history.listTransactions({ agentId, limit: 0, offset: 0, action: '', cursor: '', order: 0 }),
    ).rejects.toMatchObject({
      ...{ code: 'VALIDATION_ERROR', problems: [{ field: 'limit' }] },
    });
  });

  it('is refused what its name may not call', async () => {
    const history = await callAs('wallet');
    const asked = history.listTransactions({ agentId: newId(), limit: 1, offset: 0, action: '', cursor: '', order: 0 });
    await expect(asked).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED', status: status.PERMISSION_DENIED });
  });

  it('loses no call when one of two replicas stops', async () => {
    const history = await callAs('gateway');
    const request = { agentId: newId(), limit: 1, offset: 0, action: '', cursor: '', order: 0 };
    const ask = async () => {
      for (let n = 0; n < 40; n += 1) await history.listTransactions(request);
    };
    const asking = Promise.all([ask(), ask(), ask()]);
    await history.listTransactions(request);
    await services.pop()!.stop();
    await asking;
    await history.listTransactions(request);
  });
});
