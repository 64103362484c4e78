import { AppError, sleep } from '@agent-wallet/kernel';
import type { PostgresExchangeQuota } from './postgres-exchange-quota.js';

/** The kind of reader: operations go first, browsing gets what is left. */
export type Lane = 'operations' | 'browsing';

interface LaneRules {
  /** The share of the bucket that this lane leaves to the other. */
  readonly reservedShare: number;
  /** Longest time that a caller waits for its turn. */
  readonly timeoutMs: number;
}

const RULES: Readonly<Record<Lane, LaneRules>> = {
  operations: { reservedShare: 0, timeoutMs: 10_000 },
  browsing: { reservedShare: 0.4, timeoutMs: 2_000 },
};

/** Turns to read at the exchange, one after the other in each lane of this copy. */
export class ReadQuota {
  readonly #last: Record<Lane, Promise<unknown>> = { operations: Promise.resolve(), browsing: Promise.resolve() };

  constructor(private readonly quota: Pick<PostgresExchangeQuota, 'takeToken' | 'pause'>) {}

  /** Waits for a turn. @throws AppError SERVICE_UNAVAILABLE when it does not come in time */
  async take(cost: number, lane: Lane): Promise<void> {
    const untilMs = performance.now() + RULES[lane].timeoutMs;
    const before = this.#last[lane];
    const own = before.then(() => this.#wait(cost, { ...RULES[lane], untilMs }));
    this.#last[lane] = own.catch(() => undefined);
    await own;
  }

  /** Pauses reads on all replicas after the exchange rate-limited one. */
  async pause(): Promise<void> {
    await this.quota.pause('read');
  }

  async #wait(cost: number, { reservedShare, untilMs }: LaneRules & { readonly untilMs: number }): Promise<void> {
    for (;;) {
      if (performance.now() > untilMs) throw usedUp();
      const waitMs = await this.quota.takeToken(cost, reservedShare);
      if (waitMs === 0) return;
      if (performance.now() + waitMs > untilMs) throw usedUp();
      await sleep(waitMs);
    }
  }
}

function usedUp(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', {
    message: 'The exchange’s rate limit is reached. No funds moved. Try again in a few seconds.',
  });
}
