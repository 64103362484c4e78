import type { AuditRecord, CheckpointScope } from '@agent-wallet/audit';
import type { PostgresConnection } from '@agent-wallet/platform';
import pg from 'pg';

const PAGE = 5_000;

interface BatchRow {
  readonly last_position: string;
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

/** Reads a log from history's schema, in one snapshot: batches and checkpoints first, then the events in order. */
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
    const checkpoints = await client.query<CheckpointRow>(
      'select scope, size, root_hash, signed_at_ms, signature, key_id from checkpoints order by signed_at_ms',
    );
    for (const row of checkpoints.rows)
      yield {
        kind: 'checkpoint',
        scope: row.scope,
        size: Number(row.size),
        rootHash: row.root_hash,
        signedAtMs: Number(row.signed_at_ms),
        signature: row.signature,
        keyId: row.key_id,
      };
    yield* readEvents(client);
  } finally {
    await client.end();
  }
}

const EVENT_COLUMNS = 'position, event_id, agent_id, agent_seq, occurred_at, previous_hash, hash, payload';

async function* readEvents(client: pg.Client): AsyncGenerator<AuditRecord> {
  await client.query(`declare log no scroll cursor for select ${EVENT_COLUMNS} from events order by position`);
  for (;;) {
    const { rows } = await client.query<EventRow>(`fetch ${PAGE} from log`);
    if (rows.length === 0) return;
    for (const row of rows)
      yield {
        kind: 'event',
        position: Number(row.position),
        eventId: row.event_id,
        agentId: row.agent_id,
        sequence: Number(row.agent_seq),
        occurredAtMs: row.occurred_at.getTime(),
        previousHash: row.previous_hash,
        hash: row.hash,
        payload: row.payload,
      };
  }
}
