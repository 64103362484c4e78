import { propertyRuns } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { auditV1 } from '@agent-wallet/client/messages';
import {
  batchHash,
  checkpointBytes,
  type CheckpointScope,
  eventHash,
  NO_HASH,
  toBase58,
} from '@agent-wallet/contracts/audit';
import { LogVerifier, type StoredBatch, type StoredCheckpoint, type StoredEvent, type Verdict } from '../src/index.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
interface Log {
  events: Mutable<StoredEvent>[];
  batches: Mutable<StoredBatch>[];
  checkpoints: Mutable<StoredCheckpoint>[];
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const keyId = toBase58(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'));

function signed(scope: CheckpointScope, size: number, rootHash: Uint8Array, key = privateKey): StoredCheckpoint {
  const claim = { scope, size, rootHash, signedAtMs: 1_800_000_000_000 };
  return { kind: 'checkpoint', ...claim, keyId, signature: sign(null, checkpointBytes(claim), key) };
}

/** A log as history writes it: `owners` says whose each event is, `cuts` after which positions a batch ends. */
function logOf(owners: readonly number[], cuts: ReadonlySet<number>): Log {
  const agents = Array.from({ length: 10 }, () => randomUUID());
  const log: Log = { events: [], batches: [], checkpoints: [] };
  const ends = new Map<string, { size: number; hash: Buffer }>();
  let batch: Buffer[] = [];
  owners.forEach((owner, n) => {
    const [eventId, agentId, occurredAtMs, position] = [randomUUID(), agents[owner]!, 1_700_000_000_000 + n, n + 1];
    const payload = auditV1.AuditEvent.encode({
      eventId,
      agentId,
      occurredAtMs: BigInt(occurredAtMs),
      source: 'wallet',
      requestId: '',
      traceparent: '',
      fact: { $case: 'walletCreated', value: { address: `address ${n}` } },
    }).finish();
    const { size: before, hash: previousHash } = ends.get(agentId) ?? { size: 0, hash: NO_HASH };
    const sequence = before + 1;
    const hash = eventHash({ eventId, agentId, sequence, payload, previousHash });
    ends.set(agentId, { size: sequence, hash });
    log.events.push({ kind: 'event', position, eventId, agentId, sequence, occurredAtMs, previousHash, hash, payload });
    batch.push(hash);
    if (!cuts.has(position) && position < owners.length) return;
    const before2 = log.batches.at(-1)?.hash ?? NO_HASH;
    const chained = { firstPosition: position - batch.length + 1, eventHashes: batch, previousHash: before2 };
    log.batches.push({ kind: 'batch', lastPosition: position, hash: batchHash(chained) });
    log.checkpoints.push(signed('log', position, log.batches.at(-1)!.hash));
    batch = [];
  });
  for (const [agentId, { size, hash }] of ends) log.checkpoints.push(signed(`agent:${agentId}`, size, hash));
  return log;
}

async function check({ events, batches, checkpoints }: Log, key: string | undefined = keyId): Promise<Verdict> {
  const verifier = await LogVerifier.create({ batches, checkpoints, keyId: key });
  events.forEach((event) => verifier.add(event));
  return verifier.finish();
}

/** What a random log is made of. */
const plans = fc.tuple(
  fc.array(fc.nat(4), { minLength: 6, maxLength: 40 }),
  fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }),
);
const flip = (bytes: Uint8Array, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at % copy.length]! ^= 1 << (at % 8);
  return copy;
};
/** Holds a property against random logs, with a number that says where to touch them. */
const holds = (property: (log: Log, where: number) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(plans, fc.nat(1_000_000), ([owners, cuts], where) =>
      property(logOf(owners, new Set(cuts)), where),
    ),
    { numRuns: propertyRuns(100) },
  );
const findingsOf = async (log: Log, key?: string) => (await check(log, key)).findings;
const firstOf = async (log: Log) => (await findingsOf(log))[0];

describe('a log', () => {
  it('passes as it was written', () => {
    return holds(async (log) => expect(await check(log)).toMatchObject({ findings: [], events: log.events.length }));
  });

  it.each(['payload', 'previousHash', 'hash'] as const)('names the event whose %s has one bit flipped', (field) => {
    return holds(async (log, where) => {
      const event = log.events[where % log.events.length]!;
      event[field] = flip(event[field], where);
      expect(await firstOf(log)).toMatchObject({ problem: 'altered', record: 'event', eventId: event.eventId });
    });
  });

  it.each<[string, (event: Mutable<StoredEvent>, log: Log) => void]>([
    ['id', (event) => (event.eventId = randomUUID())],
    ['agent', (event) => (event.agentId = randomUUID())],
    [
      'agent, another of the log',
      (event, log) =>
        (event.agentId = log.events.find(({ agentId }) => agentId !== event.agentId)?.agentId ?? randomUUID()),
    ],
    ['time', (event) => (event.occurredAtMs = 1)],
    ['number', (event) => (event.sequence += 1)],
  ])('names the event whose %s was changed', (_, change) => {
    return holds(async (log, where) => {
      const event = log.events[where % log.events.length]!;
      change(event, log);
      expect(await firstOf(log)).toMatchObject({ problem: 'altered', record: 'event', position: event.position });
    });
  });

  it('names the event that was changed and given a hash that fits', () => {
    return holds(async (log, where) => {
      const event = log.events[where % log.events.length]!;
      event.payload = Buffer.concat([event.payload, Buffer.from([0x32, 0])]);
      event.hash = eventHash(event);
      const named = await firstOf(log);
      expect(named).toMatchObject({ problem: 'altered' });
      // The last event of an agent shows in what was signed, or in its batch, alone.
      if (named?.record === 'event') expect(named.agentId).toBe(event.agentId);
      else expect(named?.agentId ?? event.agentId).toBe(event.agentId);
    });
  });

  it('names the event that was dropped, wherever it stood', () => {
    return holds(async (log, where) => {
      const [event] = log.events.splice(where % log.events.length, 1);
      const { position, agentId, sequence } = event!;
      expect(await firstOf(log)).toMatchObject({ problem: 'missing', record: 'event', position, agentId, sequence });
    });
  });

  it('names the event that was dropped when the others moved up', () => {
    return holds(async (log, where) => {
      const [event] = log.events.splice(where % log.events.length, 1);
      log.events.forEach((other, n) => (other.position = n + 1));
      expect(await findingsOf(log)).toContainEqual(
        expect.objectContaining({ problem: 'missing', agentId: event!.agentId, sequence: event!.sequence }),
      );
    });
  });

  it('sees a tail that was cut off', () => {
    return holds(async (log, where) => {
      const cut = log.events.splice(1 + (where % (log.events.length - 1)));
      expect(await firstOf(log)).toMatchObject({ problem: 'missing', position: cut[0]!.position });
    });
  });

  it('sees a tail that was cut off with its batches, by a checkpoint that was kept', () => {
    return holds(async (log, where) => {
      const all = log.checkpoints.splice(0);
      const length = 1 + (where % (log.events.length - 1));
      log.events.splice(length);
      log.batches = [
        {
          kind: 'batch',
          lastPosition: length,
          hash: batchHash({ firstPosition: 1, eventHashes: log.events.map(({ hash }) => hash), previousHash: NO_HASH }),
        },
      ];
      expect(await findingsOf(log)).toEqual([]);
      log.checkpoints = all;
      expect((await findingsOf(log)).some(({ problem }) => problem === 'missing')).toBe(true);
    });
  });

  it('names one of two events that changed places', () => {
    return holds(async (log, where) => {
      const [i, j] = [where % log.events.length, (where >> 4) % log.events.length].sort((a, b) => a - b) as [
        number,
        number,
      ];
      if (i === j) return;
      const [first, second] = [log.events[i]!, log.events[j]!];
      [first.position, second.position] = [second.position, first.position];
      [log.events[i], log.events[j]] = [second, first];
      const named = await firstOf(log);
      expect(named?.problem).toBe('reordered');
      expect([first.position, second.position]).toContain(named?.position);
    });
  });

  it('names an event that is there twice, or was made up', () => {
    return holds(async (log, where) => {
      const original = log.events[where % log.events.length]!;
      const at = (where >> 3) % (log.events.length + 1);
      const copy = where % 2 ? { ...original } : { ...original, hash: flip(original.hash, where) };
      log.events.splice(at, 0, copy);
      log.events.forEach((event, n) => (event.position = n + 1));
      const named = await firstOf(log);
      expect(named).toMatchObject({ problem: 'inserted', record: 'event', eventId: original.eventId });
    });
  });

  it('names the event whose position was changed', () => {
    return holds(async (log, where) => {
      const [event] = log.events.splice(where % log.events.length, 1);
      event!.position = 1_000;
      log.events.push(event!);
      expect(await firstOf(log)).toMatchObject({ problem: 'reordered', eventId: event!.eventId });
    });
  });

  it('of which nothing is signed yet names what was altered, and the place of what was dropped', () => {
    return holds(async (log, where) => {
      log.checkpoints = [];
      const event = log.events[where % log.events.length]!;
      const { payload, position } = event;
      event.payload = flip(payload, where);
      expect(await firstOf(log)).toMatchObject({ problem: 'altered', record: 'event', position });
      event.payload = payload;
      log.events.splice(log.events.indexOf(event), 1);
      expect(await firstOf(log)).toMatchObject({ problem: 'missing', record: 'event', position });
    });
  });

  it('names the batch that was altered, and sees one that was dropped', () => {
    return holds(async (log, where) => {
      const batch = log.batches[where % log.batches.length]!;
      if (where % 2) {
        batch.hash = flip(batch.hash, where);
        expect(await firstOf(log)).toMatchObject({ record: 'batch', position: batch.lastPosition });
      } else {
        log.batches.splice(log.batches.indexOf(batch), 1);
        expect((await firstOf(log))?.record).toBe('batch');
      }
    });
  });

  it('names the checkpoint that was forged or altered', () => {
    return holds(async (log, where) => {
      const checkpoint = log.checkpoints[where % log.checkpoints.length]!;
      if (where % 3 === 0) checkpoint.rootHash = flip(checkpoint.rootHash, where);
      else if (where % 3 === 1) checkpoint.signedAtMs += 1;
      else checkpoint.signature = flip(checkpoint.signature, where);
      expect(await firstOf(log)).toMatchObject({ problem: 'forged', record: 'checkpoint', sequence: checkpoint.size });
    });
  });

  it('is not believed under another key', async () => {
    const log = logOf([0, 1, 0], new Set([3]));
    expect((await findingsOf(log, toBase58(Buffer.alloc(32, 7))))[0]).toMatchObject({ problem: 'forged' });
    expect(await findingsOf(log)).toEqual([]);
  });

  it('that was rebuilt as a whole does not agree with a checkpoint of the original', () => {
    return holds(async (log) => {
      const other = logOf(
        log.events.map((_, n) => n % 3),
        new Set(),
      );
      other.checkpoints = log.checkpoints.filter(({ scope }) => scope === 'log');
      expect((await findingsOf(other)).length).toBeGreaterThan(0);
    });
  });
});

describe('a long log', () => {
  it('of 20 000 events with 40 checkpoints is checked whole', async () => {
    const log = logOf(
      Array.from({ length: 20_000 }, (_, n) => n % 10),
      new Set(Array.from({ length: 40 }, (_, n) => n * 500)),
    );
    expect(await findingsOf(log)).toEqual([]);
    log.events[19_000]!.payload[0]! ^= 1;
    expect((await findingsOf(log)).length).toBeGreaterThan(0);
  });
});

describe('the chain', () => {
  it('has the layout that is documented', () => {
    const ids = { agentId: '01938f70-0000-7000-8000-000000000001', eventId: '01938f70-0000-7000-8000-000000000002' };
    const bytes = Buffer.concat([
      Buffer.from('agentwallet/event/v1\n'),
      Buffer.alloc(32),
      Buffer.from('0000000000000001', 'hex'),
      Buffer.from('01938f70000070008000000000000001', 'hex'),
      Buffer.from('01938f70000070008000000000000002', 'hex'),
      Buffer.from('payload'),
    ]);
    const hash = createHash('sha256').update(bytes).digest();
    expect(eventHash({ ...ids, sequence: 1, payload: Buffer.from('payload'), previousHash: NO_HASH })).toEqual(hash);
  });
});
