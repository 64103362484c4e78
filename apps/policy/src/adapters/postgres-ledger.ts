import { type EventRecord, outboxWritten } from '@agent-wallet/events';
import { AppError, type Clock, recovering, systemClock } from '@agent-wallet/kernel';
import { type Database, databaseError } from '@agent-wallet/platform';
import type pg from 'pg';
import type { Attempt, AttemptKey, AttemptState, Evidence } from '../domain/attempt.js';
import type { Decision, Grant } from '../domain/decision.js';
import { NO_SPONSORSHIP, type SponsorshipBounds } from '../domain/sponsorship.js';
import type { Ledger, Prospect, ReservationRequest } from '../ports/ledger.js';
import { AgentBatches } from './agent-batches.js';
import { ATTEMPT_COLUMNS, type AttemptRow, attemptOf } from './attempt-rows.js';
import { type DecisionRow, decisionOf } from './decision-rows.js';
import { reserveIfItFits, type ToldRequest } from './reserve-if-it-fits.js';
import { concludedEvent, reservedEvent } from './spending-events.js';

/** When policy first looks by itself at an attempt that nobody has reported: its message can hardly land any more. */
const FIRST_CHECK_AFTER = '2 minutes';
/** How long after a report that was still open. */
const CHECK_REPORTED_AFTER = '5 seconds';
/** How long a claimed attempt is left alone by others: a while at first, then rarer with its age. */
const CHECK_AGAIN = `least(greatest((policy.now() - created_at) / 4, interval '10 seconds'), interval '10 minutes')`;

const UNIQUE_VIOLATION = '23505';
/** Raised by may_permit. */
const MAY_NOT_PERMIT = 'AW001';

interface Conclusion {
  readonly attempt: Attempt;
  readonly outcome: AttemptState;
  readonly event: EventRecord;
}

type Answer = Grant | Decision | undefined;

/**
 * Reservations in the schema `policy`. Every decision is one statement, which also writes the event that tells it.
 */
export class PostgresLedger implements Ledger {
  readonly #authorizations: AgentBatches<ToldRequest, Answer>;
  readonly #conclusions: AgentBatches<Conclusion, AttemptState>;

  /** @param maxPayoutsPerDay base units that the treasury pays to all agents in a rolling 24 hours */
  constructor(
    private readonly database: Database,
    private readonly bounds: SponsorshipBounds = NO_SPONSORSHIP,
    private readonly maxPayoutsPerDay = 0n,
    private readonly clock: Clock = systemClock,
  ) {
    this.#authorizations = new AgentBatches((agentId, requests) => this.#authorizeAll(agentId, requests));
    this.#conclusions = new AgentBatches((agentId, conclusions) => this.#concludeAll(agentId, conclusions));
  }

  authorize(request: ReservationRequest): Promise<Answer> {
    // Made here, where the request is known that asks for it: a batch is sent as part of another's.
    const event = reservedEvent(this.clock, request);
    return this.#authorizations.submit(request.agentId, { ...request, event });
  }

  async #authorizeAll(agentId: string, requests: readonly ToldRequest[]): Promise<Array<Answer>> {
    try {
      const answers = await this.#decide(agentId, requests);
      outboxWritten(this.database.pool);
      return answers;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === UNIQUE_VIOLATION || code === MAY_NOT_PERMIT) return this.#authorizeSingly(agentId, requests, error);
      throw databaseError(error);
    }
  }

  async #decide(agentId: string, requests: readonly ToldRequest[]): Promise<Array<Answer>> {
    const [single, ...others] = requests;
    if (single && others.length === 0) {
      const grant = await reserveIfItFits(this.database.pool, single, FIRST_CHECK_AFTER);
      if (grant) return [grant];
    }
    const { rows } = await this.database.pool.query<DecisionRow>({
      name: 'policy-authorize',
      text: `select a.* from may_permit($7) as granted, lateral authorize($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
        $12, $13, row($14, $15, $16, $17)::sponsorship_bounds, $18, $19, $20, $21) as a where granted`,
      values: [
        agentId,
        requests.map(({ operationId }) => operationId),
        requests.map(({ step }) => step),
        requests.map(({ attempt }) => attempt),
        requests.map(({ intent }) => Buffer.from(intent)),
        requests.map(({ messageHash }) => Buffer.from(messageHash)),
        requests.map(({ kind }) => kind),
        requests.map(({ recipient }) => recipient ?? null),
        requests.map(({ recipientIsOffCurve }) => recipientIsOffCurve ?? false),
        requests.map(({ valueUsdMicros }) => valueUsdMicros ?? null),
        requests.map(({ sponsorship }) => sponsorship?.lamports ?? 0n),
        requests.map(({ sponsorship }) => sponsorship?.makesAccount ?? false),
        requests.map(({ amount }) => amount ?? null),
        ...this.#boundValues(),
        this.maxPayoutsPerDay,
        FIRST_CHECK_AFTER,
        requests.map(({ event }) => event.eventId),
        requests.map(({ event }) => event.payload),
      ],
    });
    return requests.map((_, i) => rows[i] && decisionOf(rows[i]));
  }

  /** One of several took an attempt that is taken, or must wait; nothing was reserved. Alone, each gets its own answer. */
  async #authorizeSingly(agentId: string, requests: readonly ToldRequest[], cause: unknown): Promise<Array<Answer>> {
    if (requests.length === 1 && (cause as { code?: unknown }).code === MAY_NOT_PERMIT) throw recovering(cause);
    // Our own attempts are found under the lock, so it is another agent's.
    if (requests.length === 1) throw new AppError('PERMIT_CONFLICT', { data: { reason: 'other_agent' }, cause });
    const answers: Array<Answer> = [];
    for (const request of requests) answers.push(...(await this.#authorizeAll(agentId, [request])));
    return answers;
  }

  async foresee(prospect: Prospect): Promise<Decision | undefined> {
    const { agentId, kind, recipient, recipientIsOffCurve, valueUsdMicros, sponsorship, amount } = prospect;
    const [row] = await this.#query<DecisionRow>({
      name: 'policy-foresee',
      text: 'select * from foresee($1, $2, $3, $4, $5, $6, $7, $8, row($9, $10, $11, $12)::sponsorship_bounds, $13)',
      values: [
        ...[agentId, kind, recipient ?? null, recipientIsOffCurve ?? false, valueUsdMicros ?? null],
        ...[sponsorship?.lamports ?? 0n, sponsorship?.makesAccount ?? false, amount ?? null],
        ...this.#boundValues(),
        this.maxPayoutsPerDay,
      ],
    });
    return row && decisionOf(row);
  }

  /** In the order of the columns of sponsorship_bounds. */
  #boundValues(): Array<bigint | number> {
    const { maxLamportsPerTransaction, maxAccountsPerAgentDay, maxLamportsPerAgentDay, maxLamportsPerDay } =
      this.bounds;
    return [maxLamportsPerTransaction, maxAccountsPerAgentDay, maxLamportsPerAgentDay, maxLamportsPerDay];
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

  conclude(attempt: Attempt, outcome: Exclude<AttemptState, 'open'>): Promise<AttemptState> {
    const event = concludedEvent(this.clock, attempt, outcome);
    return this.#conclusions.submit(attempt.agentId, { attempt, outcome, event });
  }

  async #concludeAll(agentId: string, conclusions: readonly Conclusion[]): Promise<AttemptState[]> {
    const rows = await this.#query<{ final_state: AttemptState }>({
      name: 'policy-conclude',
      text: 'select * from conclude($1, $2, $3, $4, $5, $6, $7)',
      values: [
        agentId,
        conclusions.map(({ attempt }) => attempt.operationId),
        conclusions.map(({ attempt }) => attempt.step),
        conclusions.map(({ attempt }) => attempt.attempt),
        conclusions.map(({ outcome }) => outcome),
        conclusions.map(({ event }) => event.eventId),
        conclusions.map(({ event }) => event.payload),
      ],
    });
    outboxWritten(this.database.pool);
    return rows.map((row) => row.final_state);
  }

  async keepEvidence({ operationId, step, attempt }: AttemptKey, { message, signature }: Evidence): Promise<void> {
    await this.#query({
      name: 'policy-keep-evidence',
      text: `update reservations set message = $4, signature = $5,
               next_check_at = least(next_check_at, policy.now() + $6::interval)
             where operation_id = $1 and step = $2 and attempt = $3 and state = 'open'`,
      values: [operationId, step, attempt, Buffer.from(message), Buffer.from(signature), CHECK_REPORTED_AFTER],
    });
  }

  async claimDue(maxCount: number): Promise<Attempt[]> {
    const rows = await this.#query<AttemptRow>({
      name: 'policy-claim-due',
      text: `with due as materialized (
               select operation_id, step, attempt from reservations
               where state = 'open' and next_check_at <= policy.now()
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
