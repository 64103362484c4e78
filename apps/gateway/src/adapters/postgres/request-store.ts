import type { Clock } from '@agent-wallet/kernel';
import { AppError } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import type {
  AnsweredRequest,
  Claim,
  FinalAnswer,
  KeptRequest,
  NewRequest,
  RequestStore,
} from '../../ports/request-store.js';
import { CLAIM_LEASE_MS, type ClaimKeeper } from './claim-keeper.js';
import { ANSWER_RETENTION_MS, KeptAnswers } from './kept-answers.js';
import { query, timeParameter } from './query.js';

/** When the resolver first looks at a claim that its runner has not ended. */
const FIRST_LOOK_AT_CLAIM_MS = 60_000;
const FIRST_LOOK_AT_SUBMITTED_MS = 2_000;
const CLAIM_TRIES = 5;

interface RequestRow {
  readonly operation_id: string;
  readonly agent_id: string;
  readonly action: string;
  readonly input: string;
  readonly state: KeptRequest['state'];
  readonly request_hash: Buffer;
  readonly signature: string;
  readonly answer_status: number | null;
  readonly answer_message: string | null;
  readonly answer_data: string | null;
  readonly created_at: Date;
  readonly looks: number;
}

interface ClaimedRow extends RequestRow {
  readonly is_ours: boolean;
  readonly fence: number;
}

/**
 * Financial requests in Postgres. A claim is one statement; its lease is renewed while it runs, its fence tells a
 * runner that was overtaken.
 */
export class PostgresRequestStore implements RequestStore {
  readonly #answers: KeptAnswers;

  constructor(
    private readonly database: Database,
    private readonly keeper: ClaimKeeper,
    private readonly clock: Clock,
  ) {
    this.#answers = new KeptAnswers(database.pool, clock);
  }

  answered(agentId: string, key: string): Promise<AnsweredRequest | undefined> {
    return this.#answers.find(agentId, key);
  }

  async claim(request: NewRequest): Promise<Claim | KeptRequest> {
    if (request.key !== undefined) this.#answers.expect(request.agentId, request.key);
    for (let attempt = 0; attempt < CLAIM_TRIES; attempt += 1) {
      const found = await this.#claimOnce(request);
      if (!found) continue; // somebody else came in between: try again
      if (!found.is_ours) return toKept(found);
      this.keeper.add(found.operation_id);
      return { operationId: found.operation_id, fence: found.fence };
    }
    throw new AppError('IDEMPOTENCY_IN_PROGRESS');
  }

  /** The claim, or the request that holds the key. */
  async #claimOnce(request: NewRequest): Promise<ClaimedRow | undefined> {
    const now = this.clock.nowMs();
    const [row] = await query<ClaimedRow>(this.database.pool, {
      name: 'claim-request',
      text: CLAIM,
      values: [
        request.operationId,
        request.agentId,
        request.key ?? null,
        request.hash,
        request.action,
        request.inputJson,
        timeParameter(now),
        timeParameter(now + CLAIM_LEASE_MS),
        timeParameter(now + FIRST_LOOK_AT_CLAIM_MS),
        timeParameter(now - ANSWER_RETENTION_MS),
      ],
    });
    return row;
  }

  async release({ operationId, fence }: Claim): Promise<boolean> {
    this.keeper.drop(operationId);
    const released = await query(this.database.pool, {
      name: 'release-request',
      text: `delete from requests where operation_id = $1 and fence = $2 and state = 'claimed' returning operation_id`,
      values: [operationId, fence],
    });
    return released.length > 0;
  }

  async submitted(operationId: string, signature: string): Promise<void> {
    this.keeper.drop(operationId);
    await query(this.database.pool, {
      name: 'request-submitted',
      text: `update requests set
               signature = coalesce(nullif($2, ''), signature),
               look_at = case when state = 'claimed' then $3 else look_at end, state = 'submitted'
             where operation_id = $1 and state <> 'final'`,
      values: [operationId, signature, this.#in(FIRST_LOOK_AT_SUBMITTED_MS)],
    });
  }

  async finish(operationId: string, answer: FinalAnswer): Promise<void> {
    this.keeper.drop(operationId);
    await query(this.database.pool, {
      name: 'finish-request',
      text: `update requests set state = 'final', answer_status = $2, answer_message = $3, answer_data = $4,
               finished_at = $5
             where operation_id = $1 and state <> 'final'`,
      values: [operationId, answer.statusCode, answer.message, answer.dataJson, this.#in(0)],
    });
  }

  async find(agentId: string, operationId: string): Promise<KeptRequest | undefined> {
    const [row] = await query<RequestRow>(this.database.pool, {
      name: 'request-by-operation',
      text: 'select * from requests where operation_id = $2 and agent_id = $1',
      values: [agentId, operationId],
    });
    return row && toKept(row);
  }

  async takeLeftOpen(count: number, leaseMs: number): Promise<readonly KeptRequest[]> {
    const rows = await query<RequestRow>(this.database.pool, {
      name: 'take-left-open',
      text: `update requests as r set look_at = $2, looks = r.looks + 1
             where r.operation_id in (
               select operation_id from requests
               where state <> 'final' and look_at <= $1 and (state = 'submitted' or leased_until <= $1)
               order by look_at limit $3 for update skip locked)
             returning r.*`,
      values: [this.#in(0), this.#in(leaseMs), count],
    });
    return rows.map(toKept);
  }

  async lookAgain(operationId: string, inMs: number): Promise<void> {
    await query(this.database.pool, {
      name: 'look-again',
      text: `update requests set look_at = $2 where operation_id = $1 and state <> 'final'`,
      values: [operationId, this.#in(inMs)],
    });
  }

  #in(ms: number): string {
    return timeParameter(this.clock.nowMs() + ms);
  }
}

/** Whether a key may be taken over, of a row `r`. */
const IS_FREE = `((r.state = 'final' and r.finished_at <= $10)
     or (r.state = 'claimed' and r.leased_until <= $7 and r.request_hash = $4))`;

// A key is taken over when its answer has been kept for its time, or when its runner died: then the operation stays the
// same, because the dead runner may have started it. A repeat only reads.
const CLAIM = `
  with held as (
    select r.* from requests as r where r.agent_id = $2 and r.idempotency_key = $3 and not ${IS_FREE}
  ), claimed as (
    insert into requests as r (operation_id, agent_id, idempotency_key, request_hash, action, input, state,
      created_at, leased_until, look_at)
    select $1, $2, $3, $4, $5, $6, 'claimed', $7, $8, $9 where not exists (select from held)
    on conflict (agent_id, idempotency_key) do update set
      operation_id = case when r.state = 'final' then excluded.operation_id else r.operation_id end,
      fence = case when r.state = 'final' then 1 else r.fence + 1 end,
      created_at = case when r.state = 'final' then excluded.created_at else r.created_at end,
      request_hash = excluded.request_hash, action = excluded.action, input = excluded.input,
      state = 'claimed', leased_until = excluded.leased_until, look_at = excluded.look_at, looks = 0, signature = '',
      answer_status = null, answer_message = null, answer_data = null, finished_at = null
    where ${IS_FREE}
    returning r.*
  )
  select true as is_ours, c.* from claimed as c union all select false, h.* from held as h`;

function toKept(row: RequestRow): KeptRequest {
  return {
    operationId: row.operation_id,
    agentId: row.agent_id,
    action: row.action,
    inputJson: row.input,
    state: row.state,
    hash: row.request_hash,
    signature: row.signature,
    createdAtMs: row.created_at.getTime(),
    looks: row.looks,
    answer:
      row.answer_status === null
        ? undefined
        : { statusCode: row.answer_status, message: row.answer_message ?? '', dataJson: row.answer_data ?? '{}' },
  };
}
