import { AppError, newId, sleep } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';
import { LONGEST_PAUSE_MS, type RequestBudget, type RequestClaim } from '../ports/request-budget.js';

/** The caller waits for its answer meanwhile. */
const DEFAULT_TIMEOUT_MS = 3_000;

const FROM_NOW = (parameter: string) => `clock_timestamp() + ${parameter}::integer * interval '1 millisecond'`;

// What is further away than a pause can be was written while the clock was ahead; so it is in `take_requests`.
const MAY_EXECUTE = `
  select until_at <= clock_timestamp() or until_at > ${FROM_NOW('$1')} as may
  from aggregator_pauses where bucket = 'execute'`;

// A pause that lasts longer than the new one stays.
const PAUSE = `
  update aggregator_pauses
  set until_at = greatest(case when until_at <= ${FROM_NOW('$3')} then until_at end, ${FROM_NOW('$2')})
  where bucket = $1`;

/** The aggregator's request budget in Postgres, by its clock: all replicas of the service ask as if they were one. */
export class PostgresRequestBudget implements RequestBudget {
  constructor(
    private readonly pool: Queryable,
    private readonly limits: { readonly requestsPerMinute: number; readonly timeoutMs?: number },
  ) {}

  async take({ agentId, isReal, requests }: RequestClaim): Promise<void> {
    const { requestsPerMinute, timeoutMs = DEFAULT_TIMEOUT_MS } = this.limits;
    const waiterId = newId();
    const untilMs = performance.now() + timeoutMs;
    for (;;) {
      const patienceMs = Math.max(0, Math.floor(untilMs - performance.now()));
      const statement = {
        name: 'take-requests',
        text: 'select take_requests($1, $2, $3, $4, $5, $6) as wait',
        values: [waiterId, agentId, isReal, requests, requestsPerMinute, patienceMs],
      };
      const [row] = await this.#rows<{ wait: number }>(statement);
      const waitMs = row!.wait;
      if (waitMs === 0) return;
      if (waitMs > patienceMs) throw usedUp(waitMs);
      await sleep(waitMs);
    }
  }

  async mayExecute(): Promise<boolean> {
    const [row] = await this.#rows<{ may: boolean }>({
      name: 'may-execute',
      text: MAY_EXECUTE,
      values: [LONGEST_PAUSE_MS.execute],
    });
    return row?.may === true;
  }

  async pause(bucket: 'ask' | 'execute', ms: number): Promise<void> {
    const longestMs = LONGEST_PAUSE_MS[bucket];
    const values = [bucket, Math.ceil(Math.min(ms, longestMs)), longestMs];
    await this.#rows({ name: 'pause-aggregator', text: PAUSE, values });
  }

  async #rows<Row>(statement: { name: string; text: string; values: unknown[] }): Promise<Row[]> {
    try {
      return (await this.pool.query(statement)).rows as Row[];
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function usedUp(waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1_000);
  return new AppError('SERVICE_UNAVAILABLE', {
    message: `The aggregator cannot be asked again for ${seconds} s. Nothing moved.`,
    data: { retryAfterSeconds: seconds },
  });
}
