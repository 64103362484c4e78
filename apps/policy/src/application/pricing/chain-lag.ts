import type { Clock } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import { CHAIN_CLOCK_TOLERANCE_MS } from '@agent-wallet/prices';

/** Dependencies of ChainLag. */
export interface ChainLagDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The oldest price that counts. */
  readonly maxAgeMs: number;
}

/**
 * Knows by how much the newest block is behind the machine's clock. After an outage a chain may take long to catch up, and
 * until then every price is too old.
 */
export class ChainLag {
  #lagMs: number | undefined;

  constructor(private readonly dependencies: ChainLagDependencies) {}

  /** The lag; undefined while it makes no price too old. */
  get lagMs(): number | undefined {
    return this.#lagMs;
  }

  /** Notes the newest block, and logs the begin and the end of a lag. */
  note({ blockTimeMs }: { readonly blockTimeMs: number }): void {
    const { clock, logger, maxAgeMs } = this.dependencies;
    const behindMs = clock.nowMs() - blockTimeMs;
    const lagMs = behindMs - CHAIN_CLOCK_TOLERANCE_MS > maxAgeMs ? behindMs : undefined;
    const wasLagging = this.#lagMs !== undefined;
    this.#lagMs = lagMs;
    const lagSeconds = Math.round(behindMs / 1_000);
    if (lagMs !== undefined && !wasLagging)
      logger.warn(
        { event: 'chain_clock.lag_found', lagSeconds },
        'Clock of the chain lags: every price is stale, payments are refused',
      );
    if (lagMs === undefined && wasLagging)
      logger.info({ event: 'chain_clock.lag_ended', lagSeconds }, 'Clock of the chain has caught up');
  }
}
