import type { Clock } from '@agent-wallet/kernel';
import type { Logger, Queryable } from '@agent-wallet/platform';
import { query, timeParameter } from './query.js';

/** How long a claim stays its runner's without a sign of life: a retry after a crash waits no longer. */
export const CLAIM_LEASE_MS = 6_000;

const RENEW_EVERY_MS = 2_000;

/** Renews the leases of the claims that this process is running, all of them by one statement. */
export class ClaimKeeper {
  readonly #running = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly pool: Queryable,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.#timer = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
  }

  add(operationId: string): void {
    this.#running.add(operationId);
  }

  drop(operationId: string): void {
    this.#running.delete(operationId);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    if (this.#running.size === 0) return;
    try {
      await query(this.pool, {
        name: 'renew-claims',
        text: `update requests set leased_until = $2 where operation_id = any($1::uuid[]) and state = 'claimed'`,
        values: [[...this.#running], timeParameter(this.clock.nowMs() + CLAIM_LEASE_MS)],
      });
    } catch (err) {
      this.logger.warn({ err }, 'claims could not be renewed');
    }
  }
}
