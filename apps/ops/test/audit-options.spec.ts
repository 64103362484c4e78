import type { AuditRecord, StoredEvent } from '@agent-wallet/audit';
import {
  batchHash,
  checkpointBytes,
  type CheckpointScope,
  eventHash,
  NO_HASH,
  toBase58,
} from '@agent-wallet/contracts/audit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { lineOf, readLines } from '../src/audit/files.js';
import { type ChainedLog, openChainedLog } from './chained-log.js';

const SIGNED_AT_MS = 1_700_000_100_000;

/** An Ed25519 key, and the name that checkpoints call it by. */
function newKey(): { privateKey: KeyObject; keyId: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, keyId: toBase58(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')) };
}

type Key = ReturnType<typeof newKey>;

const ours = newKey();
const stranger = newKey();
let log: ChainedLog;
const fileOf = (name: string) => path.join(log.directory, name);

beforeAll(async () => {
  log = await openChainedLog();
  const ends = await log.tamper<{ scope: CheckpointScope; size: string; hash: Buffer }>(
    `select distinct on (agent_id) 'agent:' || agent_id as scope, agent_seq as size, hash from events
     order by agent_id, agent_seq desc`,
  );
  const batches = await log.tamper<(typeof ends)[number]>(
    `select 'log' as scope, last_position as size, hash from log_batches`,
  );
  for (const { scope, size, hash } of [...ends, ...batches]) {
    const { rootHash, signature, keyId } = checkpoint(ours, scope, { size: Number(size), hash });
    const insert = 'insert into checkpoints values ($1, $2, $3, $4, $5, $6)';
    await log.tamper(insert, scope, size, rootHash, SIGNED_AT_MS, signature, keyId);
  }
});
afterAll(() => log.close());

function checkpoint(key: Key, scope: CheckpointScope, { size, hash }: { size: number; hash: Uint8Array }) {
  const claim = { scope, size, rootHash: hash, signedAtMs: SIGNED_AT_MS };
  return {
    kind: 'checkpoint' as const,
    ...claim,
    signature: sign(null, checkpointBytes(claim), key.privateKey),
    keyId: key.keyId,
  };
}

async function recordsOf(file: string): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for await (const record of readLines(file)) records.push(record);
  return records;
}

const isEvent = (record: AuditRecord): record is StoredEvent => record.kind === 'event';

/** Forges an export: one payload is changed, every later event is rebuilt, and the log is signed with a key. */
async function madeAnew(key: Key, original: string): Promise<string> {
  const ends = new Map<string, { size: number; hash: Uint8Array }>();
  const events = (await recordsOf(original)).filter(isEvent).map((event) => {
    const payload = event.position === 20 ? Buffer.concat([event.payload, Buffer.from([0x32, 0])]) : event.payload;
    const previousHash = ends.get(event.agentId)?.hash ?? NO_HASH;
    const hash = eventHash({ ...event, payload, previousHash });
    ends.set(event.agentId, { size: event.sequence, hash });
    return { ...event, payload, previousHash, hash };
  });
  const eventHashes = events.map(({ hash }) => hash);
  const root = { size: events.length, hash: batchHash({ firstPosition: 1, eventHashes, previousHash: NO_HASH }) };
  const records: AuditRecord[] = [
    { kind: 'batch', lastPosition: root.size, hash: root.hash },
    ...[...ends].map(([agentId, end]) => checkpoint(key, `agent:${agentId}`, end)),
    checkpoint(key, 'log', root),
    ...events,
  ];
  const file = fileOf('made-anew.ndjson');
  await writeFile(file, records.map((record) => `${lineOf(record)}\n`).join(''));
  return file;
}

describe('--key', () => {
  it('passes what is signed with it, and calls everything else forged', async () => {
    const right = await log.audit('--key', ours.keyId);
    const summary = /^as it was written: 50 events of 3 agents, 4 checkpoints; 0 events are not signed yet$/;
    expect([right.code, right.lines]).toEqual([0, [expect.stringMatching(summary)]]);
    const wrong = await log.audit('--key', stranger.keyId);
    expect([wrong.code, wrong.lines.length, wrong.lines.at(-1)]).toEqual([
      1,
      5,
      expect.stringContaining('50 events are not signed yet'),
    ]);
    expect(wrong.lines[0]).toMatch(/^FORGED checkpoint: .*it is signed with the key /);
    expect((await log.audit()).code).toBe(0);
  });
});

describe('--export, --from and --checkpoints', () => {
  it('check the same from a file, and keep the checkpoints of it alone', async () => {
    const [file, saved, again] = [fileOf('log.ndjson'), fileOf('saved.ndjson'), fileOf('again.ndjson')];
    expect((await log.audit('--export', file, '--save-checkpoints', saved)).code).toBe(0);
    expect((await recordsOf(saved)).map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => 'checkpoint'));
    expect(await log.audit('--from', file, '--key', ours.keyId)).toEqual(await log.audit('--key', ours.keyId));
    // What was saved earlier is not saved once more.
    const both = await log.audit('--from', file, '--checkpoints', saved, '--save-checkpoints', again);
    expect([both.code, both.lines]).toEqual([0, [expect.stringContaining('8 checkpoints; 0 events are not signed')]]);
    expect(await readFile(again, 'utf8')).toBe(await readFile(saved, 'utf8'));
    expect((await log.audit('--checkpoints', fileOf('nothing'))).code).toBe(2);
  });

  it('detect a log that was rebuilt and signed again, which passes on its own', async () => {
    const [file, saved] = [fileOf('log.ndjson'), fileOf('saved.ndjson')];
    await log.audit('--export', file, '--save-checkpoints', saved);
    const forged = await madeAnew(stranger, file);
    const alone = await log.audit('--from', forged);
    expect([alone.code, alone.lines]).toEqual([
      0,
      [expect.stringMatching(/^as it was written: 50 events .* 0 events/)],
    ]);
    expect((await log.audit('--from', forged, '--key', ours.keyId)).lines[0]).toMatch(/^FORGED checkpoint/);
    // The key itself stolen: only what was saved elsewhere tells.
    const stolen = await madeAnew(ours, file);
    expect((await log.audit('--from', stolen, '--key', ours.keyId)).code).toBe(0);
    const { code, lines } = await log.audit('--from', stolen, '--checkpoints', saved, '--key', ours.keyId);
    expect([code, lines[0]]).toEqual([
      1,
      expect.stringMatching(/^ALTERED event: .*it, or one before it, is not what was signed/),
    ]);
    expect(lines.join('\n')).toContain(`agent ${log.agents[19 % 3]}`);
  });
});

describe('pages of the API', () => {
  /** What the API answers of the first agent, so many events a page, as files. */
  async function pages(size: number, wrapped: boolean): Promise<string[]> {
    const agentId = log.agents[0]!;
    const exported = fileOf('for-pages.ndjson');
    await log.audit('--export', exported);
    const records = await recordsOf(exported);
    const events = records.filter(isEvent).filter((event) => event.agentId === agentId);
    const root = records.find((record) => record.kind === 'checkpoint' && record.scope === `agent:${agentId}`);
    if (root?.kind !== 'checkpoint') throw new TypeError('the agent has a checkpoint');
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const files: string[] = [];
    for (let n = 0; n < events.length; n += size) {
      const part = events.slice(n, n + size);
      const page = {
        agentId,
        events: part.map(({ eventId, sequence, occurredAtMs, payload }) => ({
          ...{ eventId, sequence, occurredAt: new Date(occurredAtMs!).toISOString(), payload: base64(payload) },
        })),
        chain: part.map(({ eventId, hash, previousHash }) => ({
          ...{ eventId, hash: hex(hash), previousHash: hex(previousHash) },
        })),
        checkpoint: {
          ...{ size: root.size, rootHash: hex(root.rootHash), signature: base64(root.signature), keyId: root.keyId },
          signedAt: new Date(root.signedAtMs).toISOString(),
        },
      };
      const file = fileOf(`page-${n / size}.json`);
      await writeFile(file, JSON.stringify(wrapped ? { success: true, data: page } : page));
      files.push(file);
    }
    return files;
  }

  it.each([true, false])('are checked as answered, as a whole answer or its data alone: %s', async (wrapped) => {
    const files = await pages(5, wrapped);
    const { code, lines } = await log.audit('--key', ours.keyId, ...files);
    expect([files.length, code, lines]).toEqual([
      4,
      0,
      [expect.stringMatching(/^as it was written: 17 events of 1 agents, 1 checkpoints; 0 events are not signed yet$/)],
    ]);
  });

  it('have an export that is verified as they are', async () => {
    const [files, exported] = [await pages(5, true), fileOf('of-pages.ndjson')];
    await log.audit('--export', exported, ...files);
    const records = await recordsOf(exported);
    const events = records.filter(isEvent);
    expect(records).toHaveLength(18);
    expect(events.every(({ payload, hash }) => payload.length > 0 && hash.length === 32)).toBe(true);
  });

  it('name a page of another agent, and one that is malformed', async () => {
    const files = await pages(5, true);
    const text = await readFile(files[1]!, 'utf8');
    await writeFile(files[1]!, text.replaceAll(log.agents[0]!, log.agents[1]!));
    const other = await log.audit(...files);
    expect([other.code, other.lines[0]]).toEqual([1, expect.stringMatching(/^INSERTED page: .*page 2 is of another/)]);
    await writeFile(files[1]!, text.replace('"events":[', '"events":[{},'));
    const malformed = await log.audit(...files);
    expect([malformed.code, malformed.lines[0]]).toEqual([
      1,
      expect.stringMatching(/^ALTERED page: .*page 2 is not a/),
    ]);
  });

  it('name what is altered in one, and a page that is missing', async () => {
    const files = await pages(5, true);
    const without = await log.audit(files[0]!, ...files.slice(2));
    expect([without.code, without.lines[0]]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^MISSING event: .*agent ${log.agents[0]}, number 6`)),
    ]);
    const short = await log.audit(...files.slice(0, 3));
    expect([short.code, short.lines[0]]).toEqual([1, expect.stringMatching(/^MISSING /)]);
    const text = await readFile(files[1]!, 'utf8');
    await writeFile(
      files[1]!,
      text.replace(/"payload":"(.)/, (_, first) => `"payload":"${first === 'C' ? 'D' : 'C'}`),
    );
    const altered = await log.audit(...files);
    expect([altered.code, altered.lines[0]]).toEqual([1, expect.stringMatching(/^ALTERED event: .*number 6:/)]);
    await writeFile(files[1]!, 'no JSON');
    expect((await log.audit(...files)).code).toBe(2);
  });
});
