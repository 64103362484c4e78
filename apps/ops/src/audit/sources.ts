import type { AuditRecord, Checkpoint, CheckpointScope } from '@agent-wallet/contracts/audit';
import type { PostgresConnection } from '@agent-wallet/platform';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import pg from 'pg';

const PAGE = 5_000;

interface BatchRow {
  readonly last_position: string;
  readonly hash: Buffer;
}

interface HeadRow {
  readonly agent_id: string;
  readonly size: string;
  readonly hash: Buffer;
}

interface CheckpointRow {
  readonly scope: CheckpointScope;
  readonly size: string;
  readonly root_hash: Buffer;
  readonly signed_at_ms: string;
  readonly signature: Buffer;
  readonly key_id: string;
}

interface EventRow {
  readonly position: string;
  readonly event_id: string;
  readonly agent_id: string;
  readonly agent_seq: string;
  readonly occurred_at: Date;
  readonly previous_hash: Buffer;
  readonly hash: Buffer;
  readonly payload: Buffer;
}

/** Reads a log from history's schema, in one snapshot: batches, heads and checkpoints first, then the events in order. */
export async function* readDatabase(connection: PostgresConnection, schema: string): AsyncGenerator<AuditRecord> {
  const { host, port, user, password, database, tls } = connection;
  const ssl = tls ? { rejectUnauthorized: true } : false;
  const client = new pg.Client({ host, port, user, password: password.reveal(), database, ssl });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query("select set_config('search_path', $1, true)", [schema]);
    const batches = await client.query<BatchRow>('select last_position, hash from log_batches order by 1');
    for (const row of batches.rows) yield { kind: 'batch', lastPosition: Number(row.last_position), hash: row.hash };
    for (const row of (await client.query<HeadRow>('select agent_id, size, hash from chain_heads')).rows)
      yield { kind: 'head', agentId: row.agent_id, size: Number(row.size), hash: row.hash };
    const checkpoints = await client.query<CheckpointRow>('select * from checkpoints order by signed_at_ms');
    for (const row of checkpoints.rows)
      yield {
        ...{ kind: 'checkpoint', scope: row.scope, size: Number(row.size), rootHash: row.root_hash },
        ...{ signedAtMs: Number(row.signed_at_ms), signature: row.signature, keyId: row.key_id },
      };
    yield* readEvents(client);
  } finally {
    await client.end();
  }
}

async function* readEvents(client: pg.Client): AsyncGenerator<AuditRecord> {
  await client.query('declare log no scroll cursor for select * from events order by position');
  for (;;) {
    const { rows } = await client.query<EventRow>(`fetch ${PAGE} from log`);
    if (rows.length === 0) return;
    for (const row of rows)
      yield {
        ...{ kind: 'event', position: Number(row.position), eventId: row.event_id, agentId: row.agent_id },
        ...{ sequence: Number(row.agent_seq), occurredAtMs: row.occurred_at.getTime() },
        ...{ previousHash: row.previous_hash, hash: row.hash, payload: row.payload },
      };
  }
}

const BYTES = ['hash', 'previousHash', 'rootHash', 'payload', 'signature'];

/** One record as a line of an export: bytes are base64. */
export function lineOf(record: AuditRecord): string {
  return JSON.stringify(record, (_, value: unknown) =>
    isBuffer(value) ? Buffer.from(value.data).toString('base64') : value,
  );
}

const isBuffer = (value: unknown): value is { data: number[] } =>
  typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'Buffer';

/** Reads an export, or checkpoints that were saved. @throws SyntaxError */
export async function* readLines(file: string): AsyncGenerator<AuditRecord> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!line) continue;
    yield JSON.parse(line, (name, value: unknown) =>
      BYTES.includes(name) && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
    ) as AuditRecord;
  }
}

/** `data` of an answer of `GET /wallets/me/history/proof`, or the whole answer. */
interface ProofPage {
  readonly data?: ProofPage;
  readonly agentId: string;
  readonly events: readonly { eventId: string; sequence: number; occurredAt: string; payload: string }[];
  readonly chain: readonly { hash: string; previousHash: string }[];
  readonly checkpoint: { size: number; rootHash: string; signature: string; keyId: string; signedAt: string } | null;
}

/** Reads pages as the API answered them, a file each, in the order of the agent's events. */
export async function* readPages(files: readonly string[]): AsyncGenerator<AuditRecord> {
  const pages = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8')) as ProofPage));
  const bare = pages.map((page) => page.data ?? page);
  for (const page of bare) if (page.checkpoint) yield { kind: 'checkpoint', ...checkpointOf(page, page.checkpoint) };
  for (const { agentId, events, chain } of bare)
    for (const [n, { eventId, sequence, occurredAt, payload }] of events.entries())
      yield {
        ...{ kind: 'event', position: undefined, eventId, agentId, sequence, occurredAtMs: Date.parse(occurredAt) },
        ...{
          previousHash: hex(chain[n]?.previousHash),
          hash: hex(chain[n]?.hash),
          payload: Buffer.from(payload, 'base64'),
        },
      };
}

function checkpointOf({ agentId }: ProofPage, given: NonNullable<ProofPage['checkpoint']>): Checkpoint {
  const scope: CheckpointScope = `agent:${agentId}`;
  const signature = Buffer.from(given.signature, 'base64');
  const signedAtMs = Date.parse(given.signedAt);
  return { scope, size: given.size, rootHash: hex(given.rootHash), signature, keyId: given.keyId, signedAtMs };
}

const hex = (text = ''): Buffer => Buffer.from(text, 'hex');
