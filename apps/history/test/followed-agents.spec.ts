import { historyV1 } from '@agent-wallet/contracts';
import { newId, packIds } from '@agent-wallet/kernel';
import { loadTls, openRpcClient, type RunningGrpcService, type ServiceName } from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { testCertificates } from '@agent-wallet/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { readEvent } from '../src/application/read-event.js';
import { startHistory } from '../src/index.js';
import { FACTS, openTestStore, operationEvent, type TestStore } from './support.js';

const FOLLOWED = 20_000;
const AGENTS_OF_REQUEST = 8_000;

let store: TestStore;
let service: RunningGrpcService;
let history: ReturnType<typeof openRpcClient<typeof historyV1.HistoryServiceService>>;

beforeAll(async () => {
  const certificates = await testCertificates<ServiceName>(['history', 'gateway']);
  store = await openTestStore();
  service = await startHistory(
    {
      ...{ grpcAddress: '127.0.0.1:0', database: store.connection, tls: certificates.history, logLevel: 'silent' },
      stream: { kind: 'postgres' },
      checkpoints: { signerAddress: '127.0.0.1:1', intervalMs: 60_000 },
    },
    { logger: silent },
  );
  const tls = await loadTls(certificates.gateway, { logger: silent });
  const peer = { address: service.address, service: 'history' } as const;
  history = openRpcClient({ definition: historyV1.HistoryServiceService, peer, tls });
});
afterAll(async () => {
  history.close();
  await service.stop();
  await store.close();
});

/** Records an event of about so many bytes for each agent. */
async function record(agentIds: readonly string[], bytes = 0): Promise<void> {
  const facts = { ...FACTS, errorJson: JSON.stringify({ text: 'x'.repeat(bytes) }) };
  const events = agentIds.map((agentId) => readEvent(operationEvent(agentId, { facts })));
  await new PostgresEventStore(store.history).append(events, []);
}

const follow = (agentIds: readonly string[], afterPosition: bigint, untilPosition?: bigint) =>
  history.followChanges({ agentIds: packIds(agentIds), afterPosition, untilPosition });

async function logEnd(): Promise<bigint> {
  return (await history.findChanges({ agentIds: [newId()], after: undefined })).position;
}

it('the changes of 20,000 agents come with three requests, each with its position in the log', async () => {
  const followed = Array.from({ length: FOLLOWED }, newId);
  const begun = await logEnd();
  const changed = [followed.at(-1)!, newId(), followed[0]!, followed[9_000]!];
  await record(changed);
  const first = await follow(followed.slice(0, AGENTS_OF_REQUEST), begun);
  expect(first).toMatchObject({ position: begun + 4n, hasMore: false });
  // The log grows between the requests; the page stays the same.
  await record([followed[9_000]!]);
  const pages = [first];
  for (let from = AGENTS_OF_REQUEST; from < FOLLOWED; from += AGENTS_OF_REQUEST) {
    pages.push(await follow(followed.slice(from, from + AGENTS_OF_REQUEST), begun, first.position));
  }
  const found = pages.flatMap(({ changes }) => changes.map(({ place, position }) => [place!.agentId, position]));
  expect(found).toEqual([
    [followed[0], begun + 3n],
    [followed[9_000], begun + 4n],
    [followed.at(-1), begun + 1n],
  ]);
  await expect(follow(followed.slice(0, AGENTS_OF_REQUEST + 1), begun)).rejects.toThrow();
});

it('a backlog larger than a gRPC response is read in pages, and a page of others’ events moves the position', async () => {
  const [mine, other] = [newId(), newId()];
  const begun = await logEnd();
  const log = [...Array<string>(25).fill(mine), ...Array<string>(25).fill(other), mine];
  for (const agentId of log) await record([agentId], 100_000);
  const sizes: number[] = [];
  let page = { position: begun, hasMore: true };
  while (page.hasMore) {
    const next = await follow([mine], page.position);
    expect(next.position).toBeGreaterThan(page.position);
    sizes.push(next.changes.length);
    page = next;
  }
  expect(page.position).toBe(begun + 51n);
  expect(sizes).toEqual([11, 11, 3, 0, 1]);
});
