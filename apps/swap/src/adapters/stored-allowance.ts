import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@agent-wallet/kernel';
import { databaseError, type Queryable } from '@agent-wallet/platform';
import type { Allowance } from '../ports/allowance.js';

/** A caller of ours waits for its answer meanwhile. */
const DEFAULT_PATIENCE_MS = 3_000;

const MAY_EXECUTE = `select until_at <= clock_timestamp() as may from aggregator_pauses where what = 'execute'`;

const PAUSE = `
  update aggregator_pauses set until_at = greatest(until_at, clock_timestamp() + $2::integer * interval '1 millisecond')
  where what = $1`;

/** The aggregator's allowance in Postgres, by its clock: all copies of the service ask as if they were one. */
export class StoredAllowance implements Allowance {
  constructor(
    private readonly pool: Queryable,
    private readonly limits: { readonly questionsPerMinute: number; readonly patienceMs?: number },
  ) {}

  async take(): Promise<void> {
    const { questionsPerMinute, patienceMs = DEFAULT_PATIENCE_MS } = this.limits;
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      const statement = {
        name: 'take-question',
        text: 'select take_question($1) as wait',
        values: [questionsPerMinute],
      };
      const [row] = await this.#rows<{ wait: number }>(statement);
      const waitMs = row?.wait ?? 0;
      if (waitMs === 0) return;
      if (performance.now() + waitMs > untilMs) throw usedUp(waitMs);
      await sleep(waitMs);
    }
  }

  async mayExecute(): Promise<boolean> {
    const [row] = await this.#rows<{ may: boolean }>({ name: 'may-execute', text: MAY_EXECUTE, values: [] });
    return row?.may === true;
  }

  async pause(what: 'ask' | 'execute', ms: number): Promise<void> {
    await this.#rows({ name: 'pause-aggregator', text: PAUSE, values: [what, Math.ceil(ms)] });
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
    data: { retryAfterSeconds: seconds.toString() },
  });
}
