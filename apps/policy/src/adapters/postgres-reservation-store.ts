import { outboxWritten } from '@agent-wallet/events';
import { AppError, type Clock, NIL_UUID, recovering, systemClock } from '@agent-wallet/kernel';
import { type Database, databaseError, type Queryable } from '@agent-wallet/platform';
import type pg from 'pg';
import type { Attempt, AttemptKey, AttemptState, Evidence, FinalFinding } from '../domain/attempt.js';
import type { Decision, Grant } from '../domain/decision.js';
import { NO_SPONSORSHIP } from '../domain/sponsorship.js';
import type { DryRunInput, ReservationRequest, ReservationStore } from '../ports/reservation-store.js';
import { AgentBatches } from './agent-batches.js';
import { ATTEMPT_COLUMNS, type AttemptRow, attemptOf } from './attempt-rows.js';
import {
  boundsRow,
  type DecisionRow,
  decisionOf,
  NO_TRADE,
  type OperatorBounds,
  type PublishedRequest,
  requestRow,
  type Settlement,
  settlementRow,
  spendingRow,
  targetOf,
  writeRow,
} from './reservation-rows.js';
import { outcomeEvent, reservedEvent } from './spending-events.js';

/** Age at which policy first checks an unreported attempt by itself: its message can hardly land any more. */
const FIRST_CHECK_AFTER = '2 minutes';
/** Delay after a report that was still open, in milliseconds. */
const CHECK_REPORTED_AFTER_MS = 5_000;
/** Time for which others leave a claimed attempt alone: short at first, longer as the attempt ages. */
const CHECK_AGAIN = `least(greatest((policy.now() - created_at) / 4, interval '10 seconds'), interval '10 minutes')`;

const UNIQUE_VIOLATION = '23505';
/** Raised by may_permit. */
const MAY_NOT_PERMIT = 'AW001';

/** Bounds of an operator who pays for nothing, counts no buys, and lets agents without an owner spend. */
const NO_BOUNDS: OperatorBounds = {
  sponsorship: NO_SPONSORSHIP,
  maxPayoutsPerDay: 0n,
  maxTreasuryMovesPerAgentDay: Number.MAX_SAFE_INTEGER,
  requiresOwner: false,
};

type Answer = Grant | Decision | undefined;

/** Reservations in the schema `policy`. Every decision is one statement, which also writes the event that publishes it. */
export class PostgresReservationStore implements ReservationStore {
  readonly #reservations: AgentBatches<PublishedRequest, Answer>;
  readonly #settlements: AgentBatches<Settlement, AttemptState>;
  readonly #bounds: OperatorBounds;

  constructor(
    private readonly database: Database,
    bounds: Partial<OperatorBounds> = {},
    private readonly clock: Clock = systemClock,
  ) {
    this.#bounds = { ...NO_BOUNDS, ...bounds };
    this.#reservations = new AgentBatches((agentId, requests) => this.#reserveTogether(agentId, requests));
    this.#settlements = new AgentBatches((agentId, settlements) => this.#settleTogether(agentId, settlements));
  }

  reserve(request: ReservationRequest): Promise<Answer> {
    // Made here, where its request is the current one: a batch is sent as part of another's.
    const event = reservedEvent(this.clock, request);
    return this.#reservations.submit(request.agentId, { ...request, event });
  }

  async #reserveTogether(agentId: string, requests: readonly PublishedRequest[]): Promise<Answer[]> {
    try {
      const answers = await this.#decide(agentId, requests);
      outboxWritten(this.database.pool);
      return answers;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === UNIQUE_VIOLATION || code === MAY_NOT_PERMIT) return this.#reserveSingly(agentId, requests, error);
      throw databaseError(error);
    }
  }

  async #decide(agentId: string, requests: readonly PublishedRequest[]): Promise<Answer[]> {
    const [single, ...others] = requests;
    if (single && others.length === 0 && single.approvalId === undefined) {
      const grant = await reserveFirstAttempt(this.database.pool, single, this.#bounds);
      if (grant) return [grant];
    }
    return reserveAll(this.database.pool, { agentId, requests, bounds: this.#bounds });
  }

  /**
   * Reserves each request alone after a batch failed and reserved nothing: one of them took an attempt that is taken,
   * or must wait. So each gets its own result.
   */
  async #reserveSingly(agentId: string, requests: readonly PublishedRequest[], cause: unknown): Promise<Answer[]> {
    if (requests.length === 1 && (cause as { code?: unknown }).code === MAY_NOT_PERMIT) throw recovering(cause);
    // The agent's own attempts are found under the lock, so it is another agent's.
    if (requests.length === 1) throw new AppError('PERMIT_CONFLICT', { data: { reason: 'other_agent' }, cause });
    const answers: Answer[] = [];
    for (const request of requests) answers.push(...(await this.#reserveTogether(agentId, [request])));
    return answers;
  }

  async dryRun(input: DryRunInput): Promise<Decision | undefined> {
    const [row] = await this.#query<DecisionRow>({
      name: 'policy-dry-run',
      text: `select * from dry_run($1, json_populate_record(null::reservation_request, $2),
        json_populate_record(null::operator_bounds, $3))`,
      values: [
        input.agentId,
        writeRow({ ...spendingRow(input), token_id: input.tokenId ?? null }),
        writeRow(boundsRow(this.#bounds)),
      ],
    });
    return row && decisionOf(row);
  }

  async approvalReasons(spending: DryRunInput): Promise<string[]> {
    const [row] = await this.#query<{ reasons: string[] }>({
      name: 'policy-approval-reasons',
      text: 'select reasons from approval_grounds($1, json_populate_record(null::reservation_request, $2))',
      values: [spending.agentId, writeRow(spendingRow(spending))],
    });
    return row?.reasons ?? [];
  }

  async find({ operationId, step, attempt }: AttemptKey): Promise<Attempt | undefined> {
    const [row] = await this.#query<AttemptRow>({
      name: 'policy-find-attempt',
      text: `select ${ATTEMPT_COLUMNS} from reservations r
             where r.operation_id = $1 and r.step = $2 and r.attempt = $3`,
      values: [operationId, step, attempt],
    });
    return row && attemptOf(row);
  }

  settle(attempt: Attempt, finding: FinalFinding): Promise<AttemptState> {
    const event = outcomeEvent(this.clock, attempt, finding);
    return this.#settlements.submit(attempt.agentId, { attempt, finding, event });
  }

  async #settleTogether(agentId: string, settlements: readonly Settlement[]): Promise<AttemptState[]> {
    const rows = await this.#query<{ final_state: AttemptState }>({
      name: 'policy-settle',
      text: `select * from settle($1, array(select s from json_populate_recordset(null::settlement, $2) as s))`,
      values: [agentId, `[${settlements.map((each) => writeRow(settlementRow(each))).join(',')}]`],
    });
    outboxWritten(this.database.pool);
    return rows.map((row) => row.final_state);
  }

  async keepEvidence(
    { operationId, step, attempt }: AttemptKey,
    { message, signature }: Evidence,
    provableInMs = CHECK_REPORTED_AFTER_MS,
  ): Promise<void> {
    const withinMs = Math.min(provableInMs, CHECK_REPORTED_AFTER_MS);
    await this.#query({
      name: 'policy-keep-evidence',
      text: `update reservations set message = $4, signature = $5,
               next_check_at = least(next_check_at, policy.now() + $6::double precision * interval '1 millisecond')
             where operation_id = $1 and step = $2 and attempt = $3 and state = 'open'`,
      values: [operationId, step, attempt, Buffer.from(message), Buffer.from(signature), withinMs],
    });
  }

  async checkWithin({ operationId, step, attempt }: AttemptKey, ms: number): Promise<void> {
    await this.#query({
      name: 'policy-check-within',
      text: `update reservations r set next_check_at = check_at
             from (select policy.now() + $4::double precision * interval '1 millisecond' as check_at) as soon
             where operation_id = $1 and step = $2 and attempt = $3 and state = 'open' and next_check_at > check_at`,
      values: [operationId, step, attempt, ms],
    });
  }

  async claimDue(maxCount: number): Promise<Attempt[]> {
    const rows = await this.#query<AttemptRow>({
      name: 'policy-claim-due',
      text: `with due as materialized (
               select operation_id, step, attempt from reservations
               where state = 'open' and next_check_at <= (select policy.now())
               order by next_check_at limit $1 for update skip locked)
             update reservations r set next_check_at = policy.now() + ${CHECK_AGAIN} from due
             where (r.operation_id, r.step, r.attempt) = (due.operation_id, due.step, due.attempt)
             returning ${ATTEMPT_COLUMNS}`,
      values: [maxCount],
    });
    return rows.map(attemptOf);
  }

  async #query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]> {
    try {
      return (await this.database.pool.query<Row>(query)).rows;
    } catch (error) {
      throw databaseError(error);
    }
  }
}

// Grants only what `reserve` would grant: both ask violated_rule, and the settled sum that is kept is never less than the
// true one while its start is not after that of the window. Here every recipient is new and nothing approved, and no sum
// is compared with an amount that needs an approval, which this statement's snapshot might miss a part of: who needs to
// know more needs the function. In one statement the lock, the sum and the row cost a third of
// the function.
const RESERVE_FIRST_ATTEMPT = `
  with clock as materialized (select policy.now() as at where may_permit(array[$11::spending])),
  fitting as (
    update policies p set reserved_usd_micros = p.reserved_usd_micros + $9::bigint from clock
    where p.agent_id = $1 and $11 in ('payment', 'trade') and p.settled_since <= policy.window_start(at)
      and p.approve_above_usd_micros is null
      and violated_rule(
        p, exists (select from freezes f where f.agent_id in ($1, '${NIL_UUID}') for key share),
        $11, $7, $8, $9, p.settled_usd_micros + p.reserved_usd_micros, true, false, $14, is_unfair(p, $15, $16, $17), 0, $20)
        is null
      and not exists (select from reservations r where r.operation_id = $2 and r.step = $3 and r.attempt > $4)
      and not exists (select from token_operations o where o.operation_id = $2)
    returning p.agent_id, at),
  made as (
    insert into reservations (operation_id, step, attempt, agent_id, intent, message_hash, value_usd_micros, created_at,
      next_check_at, spent_as, target, sent_mint, sent_amount)
    select $2, $3, $4, agent_id, $5, $6, $9, at, at + $10::interval, $11, $7, $18, $19 from fitting returning agent_id)
  insert into outbox (event_id, agent_id, payload) select $12, agent_id, $13 from made`;

/**
 * Reserves for the first attempt of a payment or trade without a sponsor, when every limit allows it. Undefined says
 * nothing: {@link reserveAll} decides then, and explains. So it does for an attempt that is known already, of which
 * nothing is changed.
 */
export async function reserveFirstAttempt(
  database: Queryable,
  request: PublishedRequest,
  { requiresOwner }: OperatorBounds,
): Promise<Grant | undefined> {
  const { attempt, kind, recipientIsOffCurve, valueUsdMicros, sponsorship, event, trade = NO_TRADE } = request;
  if (attempt !== 1 || valueUsdMicros === undefined || sponsorship !== undefined) return undefined;
  const statement: pg.QueryConfig = {
    name: 'policy-reserve-first-attempt',
    text: RESERVE_FIRST_ATTEMPT,
    values: [
      request.agentId,
      request.operationId,
      request.step,
      attempt,
      Buffer.from(request.intent),
      Buffer.from(request.messageHash),
      targetOf(request),
      recipientIsOffCurve ?? false,
      valueUsdMicros,
      FIRST_CHECK_AFTER,
      kind,
      event.eventId,
      event.payload,
      request.isUnverified ?? false,
      trade.lossBps ?? null,
      trade.maxLossBps,
      trade.takesUnpriced,
      request.sent?.mint ?? null,
      request.sent?.amount ?? null,
      requiresOwner,
    ],
  };
  try {
    const { rowCount } = await database.query(statement);
    return rowCount === 1 ? { verdict: 'granted', valueUsdMicros } : undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}

/** Requests of one agent, to be decided one after the other. */
export interface AgentRequests {
  readonly agentId: string;
  readonly requests: readonly PublishedRequest[];
  readonly bounds: OperatorBounds;
}

/** Decides every request, by every rule and bound, and reserves what is granted. Undefined when the agent has no policy. */
export async function reserveAll(
  database: Queryable,
  { agentId, requests, bounds }: AgentRequests,
): Promise<Array<Decision | undefined>> {
  const { rows } = await database.query<DecisionRow>({
    name: 'policy-reserve',
    text: `select r.* from may_permit($2) as granted, lateral reserve($1,
      array(select q from json_populate_recordset(null::reservation_request, $3) as q),
      json_populate_record(null::operator_bounds, $4), $5) as r where granted`,
    values: [
      agentId,
      requests.map(({ kind }) => kind),
      `[${requests.map((request) => writeRow(requestRow(request))).join(',')}]`,
      writeRow(boundsRow(bounds)),
      FIRST_CHECK_AFTER,
    ],
  });
  return requests.map((_, i) => rows[i] && decisionOf(rows[i]));
}
