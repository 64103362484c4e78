import { AppError, type Clock, RecentlyUsed } from '@agent-wallet/kernel';
import { currentRequest, type Logger, type Queryable } from '@agent-wallet/platform';
import {
  type ApiResponse,
  type IdempotencyRecord,
  type IdempotencyStore,
  inputText,
  KEY_RETENTION_MS,
  type NewRecord,
  type OperationInput,
} from '../ports/idempotency-store.js';
import { Grouped } from './grouped.js';
import { query, timeParameter } from './query.js';

/** Time for which a claim stays its runner's without a sign of life: a retry after a crash waits no longer. */
const CLAIM_LEASE_MS = 6_000;
const RENEW_EVERY_MS = 2_000;
/** Delay before the resolver first polls for a claim that its runner has not ended. */
const FIRST_POLL_AFTER_CLAIM_MS = 60_000;
const FIRST_POLL_AFTER_SUBMIT_MS = 2_000;
/** Delay before an unreadable request is taken again. */
const POLL_UNREADABLE_MS = 3_600_000;
const CLAIM_TRIES = 5;

/** Number of keys with a response that a process remembers. */
const KEYS_REMEMBERED = 10_000;
const GROUP_LIMIT = 200;
/** As long as a statement of its own would have waited for a connection. */
const STALLED_AFTER_MS = 5_000;

interface RecordRow {
  readonly operation_id: string;
  readonly agent_id: string;
  readonly action: string;
  readonly input: string;
  readonly state: IdempotencyRecord['state'];
  readonly request_hash: Buffer;
  readonly fence: number;
  readonly signature: string;
  readonly response_status: number | null;
  readonly response_message: string | null;
  readonly response_data: string | null;
  readonly created_at: Date;
  readonly polls: number;
}

/** By name: with `*`, the next column of the table would break the statements that running replicas have prepared. */
const COLUMNS = [
  'operation_id',
  'agent_id',
  'action',
  'input',
  'state',
  'request_hash',
  'fence',
  'signature',
  'response_status',
  'response_message',
  'response_data',
  'created_at',
  'polls',
] as const satisfies readonly (keyof RecordRow)[];
const columnsOf = (table: string) => COLUMNS.map((column) => `${table}.${column}`).join(', ');

interface ClaimedRow extends RecordRow {
  readonly is_ours: boolean;
}

interface HeldKey {
  readonly agentId: string;
  readonly key: string;
}

/** Without a record, or without its final response, `is_stored` is null. */
interface ResponseRow {
  readonly is_stored: boolean | null;
  readonly request_hash: Buffer;
  readonly response_status: number;
  readonly response_message: string;
  readonly response_data: string;
}

/**
 * Idempotency records in Postgres. A claim is one statement; the leases of all claims that this process runs are renewed
 * by one statement. The fencing token rejects writes of a process whose claim another one took over.
 *
 * Final responses are read in groups, and only for keys that were claimed or asked for here before: the first request of
 * a key would wait for nothing. Memory only says that a key may have a response; the response comes from the database
 * each time, and a key without one is for the claim to decide.
 */
export class PostgresIdempotencyStore implements IdempotencyStore {
  readonly #running = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #mayHaveResponse: RecentlyUsed<true>;
  readonly #responses: Grouped<HeldKey, ResponseRow>;

  /** Renews leases until it is stopped. */
  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    private readonly logger: Logger,
    keysRemembered = KEYS_REMEMBERED,
  ) {
    this.#timer = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
    this.#mayHaveResponse = new RecentlyUsed(keysRemembered);
    this.#responses = new Grouped({
      name: 'stored-responses',
      run: (held) => this.#readResponses(held),
      isOfOne: () => false,
      groupLimit: GROUP_LIMIT,
      stalledAfterMs: STALLED_AFTER_MS,
    });
  }

  /** Renews no lease any longer. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** @throws AppError SERVICE_UNAVAILABLE */
  async stored(agentId: string, key: string): Promise<{ hash: Uint8Array; response: ApiResponse } | undefined> {
    if (!this.#mayHaveResponse.use(agentId + key)) return undefined;
    const row = await this.#responses.ask({ agentId, key });
    return row.is_stored ? { hash: row.request_hash, response: toResponse(row) } : undefined;
  }

  async claim(request: NewRecord): Promise<{ record: IdempotencyRecord; isOurs: boolean }> {
    if (request.key !== undefined) this.#mayHaveResponse.keep(request.agentId + request.key, true);
    for (let attempt = 0; attempt < CLAIM_TRIES; attempt += 1) {
      const row = await this.#claimOnce(request);
      if (!row) continue; // another request came in between: try again
      if (row.is_ours) this.#running.add(row.operation_id);
      return { record: toRecord(row), isOurs: row.is_ours };
    }
    throw new AppError('IDEMPOTENCY_IN_PROGRESS');
  }

  /** Returns the claim, or the record that holds the key; undefined for a key that is held by a newer record. */
  async #claimOnce(request: NewRecord): Promise<ClaimedRow | undefined> {
    const now = this.clock.nowMs();
    const [row] = await query<ClaimedRow>(this.pool, {
      name: 'claim-request',
      text: CLAIM,
      values: [
        request.operationId,
        request.agentId,
        request.key ?? null,
        request.hash,
        request.action,
        inputText(request.input),
        timeParameter(now),
        timeParameter(now + CLAIM_LEASE_MS),
        timeParameter(now + FIRST_POLL_AFTER_CLAIM_MS),
        timeParameter(now - KEY_RETENTION_MS),
        currentRequest()?.askedFrom ?? null,
      ],
    });
    return row;
  }

  async release({ operationId, fence }: Pick<IdempotencyRecord, 'operationId' | 'fence'>): Promise<boolean> {
    this.#running.delete(operationId);
    const released = await query(this.pool, {
      name: 'release-request',
      text: `delete from idempotency_records where operation_id = $1 and fence = $2 and state = 'claimed' returning operation_id`,
      values: [operationId, fence],
    });
    return released.length > 0;
  }

  async submitted(operationId: string, signature: string): Promise<void> {
    this.#running.delete(operationId);
    await query(this.pool, {
      name: 'request-submitted',
      text: `update idempotency_records set
               signature = coalesce(nullif($2, ''), signature),
               poll_at = case when state = 'claimed' then $3 else poll_at end, state = 'submitted'
             where operation_id = $1 and state <> 'final'`,
      values: [operationId, signature, this.#in(FIRST_POLL_AFTER_SUBMIT_MS)],
    });
  }

  async finish(operationId: string, { statusCode, message, dataJson }: ApiResponse): Promise<void> {
    this.#running.delete(operationId);
    await query(this.pool, {
      name: 'finish-request',
      text: `update idempotency_records set state = 'final', response_status = $2, response_message = $3, response_data = $4,
               finished_at = $5
             where operation_id = $1 and state <> 'final'`,
      values: [operationId, statusCode, message, dataJson, this.#in(0)],
    });
  }

  async find(agentId: string, operationId: string): Promise<IdempotencyRecord | undefined> {
    const [row] = await query<RecordRow>(this.pool, {
      name: 'request-by-operation',
      text: `select ${columnsOf('r')} from idempotency_records r where r.operation_id = $2 and r.agent_id = $1`,
      values: [agentId, operationId],
    });
    return row && toRecord(row);
  }

  async takeLeftOpen(count: number, leaseMs: number): Promise<readonly IdempotencyRecord[]> {
    const rows = await query<RecordRow>(this.pool, {
      name: 'take-left-open',
      text: `update idempotency_records as r set poll_at = $2, polls = r.polls + 1
             where r.operation_id in (
               select operation_id from idempotency_records
               where state <> 'final' and poll_at <= $1 and (state = 'submitted' or leased_until <= $1)
               order by poll_at limit $3 for update skip locked)
             returning ${columnsOf('r')}`,
      values: [this.#in(0), this.#in(leaseMs), count],
    });
    const records = rows.map((row) => ({ row, record: this.#readable(row) }));
    const unreadable = records.filter(({ record }) => record === undefined).map(({ row }) => row.operation_id);
    if (unreadable.length > 0) await this.#park(unreadable);
    return records.flatMap(({ record }) => record ?? []);
  }

  #readable(row: RecordRow): IdempotencyRecord | undefined {
    try {
      return toRecord(row);
    } catch (err) {
      const { operation_id: operationId } = row;
      this.logger.error(
        { event: 'idempotency_record.read_failed', operationId, err },
        'Idempotency record is unreadable; retrying every hour',
      );
      return undefined;
    }
  }

  /**
   * Parks unreadable requests out of the way of the others; an operator sees them among the requests without a final
   * response.
   */
  async #park(operationIds: readonly string[]): Promise<void> {
    await query(this.pool, {
      name: 'park-requests',
      text: `update idempotency_records set poll_at = $2 where operation_id = any($1::uuid[]) and state <> 'final'`,
      values: [[...operationIds], this.#in(POLL_UNREADABLE_MS)],
    });
  }

  async pollAgain(operationId: string, inMs: number): Promise<void> {
    await query(this.pool, {
      name: 'look-again',
      text: `update idempotency_records set poll_at = $2 where operation_id = $1 and state <> 'final'`,
      values: [operationId, this.#in(inMs)],
    });
  }

  /**
   * Reads stored responses. The join is by the key alone: while the table has no statistics, a plan might prefer the
   * index of ends.
   */
  #readResponses(held: readonly HeldKey[]): Promise<ResponseRow[]> {
    return query(this.pool, {
      name: 'stored-responses',
      text: `select r.finished_at > $3 as is_stored, r.request_hash, r.response_status, r.response_message, r.response_data
             from unnest($1::uuid[], $2::text[]) with ordinality as a (agent_id, key, place)
             left join idempotency_records as r on r.agent_id = a.agent_id and r.idempotency_key = a.key
             order by a.place`,
      values: [held.map(({ agentId }) => agentId), held.map(({ key }) => key), this.#in(-KEY_RETENTION_MS)],
    });
  }

  async #renew(): Promise<void> {
    if (this.#running.size === 0) return;
    try {
      await query(this.pool, {
        name: 'renew-claims',
        text: `update idempotency_records set leased_until = $2 where operation_id = any($1::uuid[]) and state = 'claimed'`,
        values: [[...this.#running], this.#in(CLAIM_LEASE_MS)],
      });
    } catch (err) {
      this.logger.warn({ event: 'idempotency_claim.renewal_failed', err }, 'Claims of running requests not renewed');
    }
  }

  #in(ms: number): string {
    return timeParameter(this.clock.nowMs() + ms);
  }
}

/** Whether a key may be taken over, of a row `r`: its response was kept for its time, or its runner died. */
const IS_FREE = `((r.state = 'final' and r.finished_at <= $10)
  or (r.state = 'claimed' and r.leased_until <= $7 and r.request_hash = $4))`;

// A key whose runner died keeps its operation, because the dead runner may have started it. A key whose response was kept
// for its time begins a new operation. A repeat only reads.
const CLAIM = `
  with held as (
    select ${columnsOf('r')} from idempotency_records as r
    where r.agent_id = $2 and r.idempotency_key = $3 and not ${IS_FREE}
  ), claimed as (
    insert into idempotency_records as r (operation_id, agent_id, idempotency_key, request_hash, action, input, state,
      created_at, leased_until, poll_at, network)
    select $1, $2, $3, $4, $5, $6, 'claimed', $7, $8, $9, $11 where not exists (select from held)
    on conflict (agent_id, idempotency_key) do update set
      operation_id = case r.state when 'final' then excluded.operation_id else r.operation_id end,
      created_at = case r.state when 'final' then excluded.created_at else r.created_at end,
      fence = case r.state when 'final' then 1 else r.fence + 1 end,
      request_hash = excluded.request_hash, action = excluded.action, input = excluded.input, network = excluded.network,
      state = 'claimed', leased_until = excluded.leased_until, poll_at = excluded.poll_at, polls = 0, signature = '',
      response_status = null, response_message = null, response_data = null, finished_at = null
    where ${IS_FREE}
    returning ${columnsOf('r')}
  )
  select true as is_ours, c.* from claimed as c union all select false, h.* from held as h`;

function toRecord(row: RecordRow): IdempotencyRecord {
  return {
    operationId: row.operation_id,
    agentId: row.agent_id,
    action: row.action,
    input: JSON.parse(row.input) as OperationInput,
    state: row.state,
    hash: row.request_hash,
    fence: row.fence,
    signature: row.signature,
    createdAtMs: row.created_at.getTime(),
    polls: row.polls,
    response: row.response_status === null ? undefined : toResponse({ ...row, response_status: row.response_status }),
  };
}

function toResponse(row: {
  readonly response_status: number;
  readonly response_message: string | null;
  readonly response_data: string | null;
}): ApiResponse {
  return { statusCode: row.response_status, message: row.response_message ?? '', dataJson: row.response_data ?? '{}' };
}
