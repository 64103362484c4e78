import type { signerV1 } from '@agent-wallet/contracts';
import { historyV1 } from '@agent-wallet/contracts';
import { isGenuine } from '@agent-wallet/audit';
import { type Checkpoint, checkpointBytes, eventHash, NO_HASH, toBase58 } from '@agent-wallet/contracts/audit';
import { newId } from '@agent-wallet/kernel';
import {
  loadTls,
  openRpcClient,
  type RpcClient,
  type RunningGrpcService,
  type ServiceName,
} from '@agent-wallet/platform';
import { silent } from '@agent-wallet/platform/testing';
import { testCertificates } from '@agent-wallet/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import { GrpcCheckpointSigner } from '../src/adapters/grpc-checkpoint-signer.js';
import { PostgresCheckpointStore } from '../src/adapters/postgres-checkpoint-store.js';
import { PostgresEventStore } from '../src/adapters/postgres-event-store.js';
import { PostgresRebuildStore } from '../src/adapters/postgres-rebuild-store.js';
import { MakeCheckpoints } from '../src/application/make-checkpoints.js';
import { RecordEvents } from '../src/application/record-events.js';
import { startHistory } from '../src/index.js';
import { eventOf, openTestStore, operationEvent, type TestStore } from './support.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const keyId = toBase58(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'));

let store: TestStore;
let recording: RecordEvents;
let signed: number[];
let isAway: boolean;
let nowMs: number;

beforeEach(async () => {
  store = await openTestStore();
  recording = new RecordEvents(new PostgresEventStore(store.history), silent);
  [signed, isAway, nowMs] = [[], false, 1_800_000_000_000];
});
afterEach(() => store.close());

/** The signer, as its contract says. */
const signer = {
  async signCheckpoints({ claims }: signerV1.SignCheckpointsRequest): Promise<signerV1.SignCheckpointsResponse> {
    if (isAway) throw new Error('the signer is away');
    signed.push(claims.length);
    nowMs += 1;
    const signatures = claims.map(({ scope, size, rootHash }) =>
      sign(
        null,
        checkpointBytes({ scope: scope as Checkpoint['scope'], size: Number(size), rootHash, signedAtMs: nowMs }),
        privateKey,
      ),
    );
    return { keyId, signedAtMs: BigInt(nowMs), signatures };
  },
};
const making = () => new MakeCheckpoints(new PostgresCheckpointStore(store.history), new GrpcCheckpointSigner(signer));
const record = (...agents: string[]) => recording.execute(agents.map((agentId) => operationEvent(agentId)));
const checkpoints = () =>
  store.rows<{ scope: string; size: string }>('select scope, size from checkpoints order by scope, size');

describe('checkpoints', () => {
  const [a, b] = [newId(), newId()].sort() as [string, string];

  it('are made while history is rebuilt', async () => {
    const rebuild = new PostgresRebuildStore(store.history);
    await rebuild.open(false);
    try {
      await record(a);
      await making().execute();
      expect(await checkpoints()).toHaveLength(2);
    } finally {
      await rebuild.close();
    }
  });

  it('are made of the log and of those agents whose chains have grown', async () => {
    await record(a, b, a);
    expect(await making().execute()).toBe(false);
    await record(b);
    await making().execute();
    expect(await checkpoints()).toEqual([
      { scope: `agent:${a}`, size: '2' },
      { scope: `agent:${b}`, size: '1' },
      { scope: `agent:${b}`, size: '2' },
      { scope: 'log', size: '3' },
      { scope: 'log', size: '4' },
    ]);
    expect(
      await store.rows(`select from checkpoints c where not exists (
      select from events where 'agent:' || agent_id = scope and agent_seq = size and hash = root_hash
      union all select from log_batches where scope = 'log' and last_position = size and hash = root_hash)`),
    ).toEqual([]);
    const kept = await store.rows<Record<string, never>>('select * from checkpoints');
    const asSigned = kept.map((row) => ({
      ...{ scope: row['scope']!, size: Number(row['size']), rootHash: row['root_hash']!, keyId: row['key_id']! },
      ...{ signedAtMs: Number(row['signed_at_ms']), signature: row['signature']! },
    }));
    expect(await Promise.all(asSigned.map(isGenuine))).toEqual(kept.map(() => true));
  });

  it('call no signer while the log does not grow', async () => {
    await making().execute();
    await record(a);
    await making().execute();
    expect(await making().execute()).toBe(false);
    expect(signed).toEqual([2]);
  });

  it('are late while the signer is away, and nothing else', async () => {
    await record(a);
    isAway = true;
    await expect(making().execute()).rejects.toThrow('away');
    await record(a, b);
    expect(await checkpoints()).toEqual([]);
    isAway = false;
    await making().execute();
    expect(await checkpoints()).toEqual([
      { scope: `agent:${a}`, size: '2' },
      { scope: `agent:${b}`, size: '1' },
      { scope: 'log', size: '3' },
    ]);
  });

  it('are made once by two replicas at once', async () => {
    await record(a, b);
    await Promise.all([making().execute(), making().execute(), making().execute()]);
    await making().execute();
    expect(signed).toEqual([3]);
  });

  it('of a long backlog are made by stretches, and a call takes no more than the signer does', async () => {
    const agents = Array.from({ length: 1_500 }, () => newId());
    for (let i = 0; i < 12; i += 1) {
      await recording.execute(agents.slice((i % 3) * 500, (i % 3) * 500 + 500).map((id) => operationEvent(id)));
    }
    expect(await making().execute()).toBe(true);
    expect(await making().execute()).toBe(false);
    expect(signed).toEqual([500, 500, 500, 1, 1]);
    expect(await store.rows("select size from checkpoints where scope = 'log' order by size")).toEqual([
      { size: '5000' },
      { size: '6000' },
    ]);
  });
});

describe('GetProof and ListOperationStates', () => {
  let certificates: Awaited<ReturnType<typeof testCertificates<ServiceName>>>;
  let service: RunningGrpcService;
  type Client = RpcClient<typeof historyV1.HistoryServiceService>;
  let gateway: Client;
  let ops: Client;

  beforeAll(async () => {
    certificates = await testCertificates<ServiceName>(['gateway', 'history', 'ops']);
  });
  beforeEach(async () => {
    service = await startHistory(
      {
        ...{ grpcAddress: '127.0.0.1:0', database: store.connection, tls: certificates.history, logLevel: 'silent' },
        ...{ stream: { kind: 'postgres' }, checkpoints: { signerAddress: '127.0.0.1:1', intervalMs: 60_000 } },
      },
      { logger: silent },
    );
    [gateway, ops] = (await Promise.all((['gateway', 'ops'] as const).map(clientOf))) as [Client, Client];
  });
  afterEach(async () => {
    gateway.close();
    ops.close();
    await service.stop();
  });

  async function clientOf(name: ServiceName): Promise<Client> {
    const peer = { address: service.address, service: 'history' } as const;
    const tls = await loadTls(certificates[name]);
    return openRpcClient({ definition: historyV1.HistoryServiceService, peer, tls });
  }

  it('give the chain page by page, with payloads that hash to it', async () => {
    const [agentId, other] = [newId(), newId()];
    const events = Array.from({ length: 7 }, (_, i) => operationEvent(i === 3 ? other : agentId));
    await recording.execute(events);
    const own = events.filter((event) => event.agentId === agentId);
    let afterEventId = '';
    let previousHash: Uint8Array = NO_HASH;
    const seen: string[] = [];
    for (const [limit, hasMore] of [
      [4, true],
      [2, false],
    ] as const) {
      const page = await gateway.getProof({ agentId, afterEventId, limit });
      expect([page.events.length, page.hasMore, page.checkpoint]).toEqual([limit, hasMore, undefined]);
      for (const { eventId, sequence, payload, hash, previousHash: before } of page.events) {
        expect(before).toEqual(Buffer.from(previousHash));
        expect(hash).toEqual(eventHash({ eventId, agentId, sequence: Number(sequence), payload, previousHash }));
        [previousHash, afterEventId] = [hash, eventId];
        seen.push(eventId);
      }
    }
    expect(seen).toEqual(own.map((event) => event.eventId));
    const proof = () => gateway.getProof({ agentId, afterEventId, limit: 1 });
    // The service tries at its start, too, and holds the turn until it has found its signer away.
    while (!(await proof()).checkpoint) await making().execute();
    const { events: none, checkpoint } = await proof();
    expect(none).toEqual([]);
    expect(checkpoint).toMatchObject({ size: 6n, rootHash: previousHash, keyId, signedAtMs: BigInt(nowMs) });
  });

  it('show no agent another one’s events, and start only after an event of the same agent', async () => {
    const [agentId, other] = [newId(), newId()];
    const foreign = operationEvent(other);
    await recording.execute([operationEvent(agentId), foreign]);
    for (const afterEventId of [foreign.eventId, newId(), 'no id', `${foreign.eventId}'`])
      await expect(gateway.getProof({ agentId, afterEventId, limit: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const limit of [0, 101])
      await expect(gateway.getProof({ agentId, afterEventId: '', limit })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    expect(await gateway.getProof({ agentId: newId(), afterEventId: '', limit: 1 })).toMatchObject({ events: [] });
  });

  it('tell operators the latest revision of operations', async () => {
    const [agentId, operationId] = [newId(), newId()];
    const login = eventOf(agentId, { $case: 'sessionEnded', value: { sessionId: newId() } });
    await recording.execute([
      operationEvent(agentId, { operationId, revision: 2 }),
      operationEvent(agentId, { operationId, revision: 1 }),
      login,
    ]);
    const { operations } = await ops.listOperationStates({ operationIds: [newId(), operationId, login.eventId] });
    expect(operations).toEqual([{ operationId, agentId, status: 'pending', revision: 2 }]);
    await expect(ops.listOperationStates({ operationIds: [] })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(gateway.listOperationStates({ operationIds: [operationId] })).rejects.toMatchObject({
      code: 'CALLER_NOT_ALLOWED',
    });
  });

  it('tell operators which events could not be read, the latest first', async () => {
    const agentId = newId();
    const change = { field: 'newRecipients', before: 'allow', after: 'deny' };
    const unreadable = () => eventOf(agentId, { $case: 'policyChanged', value: { changes: [change] } });
    const [first, last] = [unreadable(), unreadable()];
    const { total: before } = await ops.listUnprocessableEvents({ limit: 1 });
    await recording.execute([first]);
    await recording.execute([last]);
    const { events, total } = await ops.listUnprocessableEvents({ limit: 2 });
    const shown = { agentId, reason: 'before is not JSON' };
    expect(events).toMatchObject([
      { eventId: last.eventId, ...shown },
      { eventId: first.eventId, ...shown },
    ]);
    expect(total - before).toBe(2n);
    await expect(ops.listUnprocessableEvents({ limit: 0 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(gateway.listUnprocessableEvents({ limit: 1 })).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' });
  });
});
