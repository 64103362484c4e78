import type { Logger } from '@agent-wallet/platform';
import type { Attempt } from '../../domain/attempt.js';
import type { ReservationStore } from '../../ports/reservation-store.js';
import { record } from './record-finding.js';
import type { FindOutcome } from './find-outcome.js';

const BATCH_COUNT = 20;

/**
 * Looks at attempts that stay open, so that nothing stays reserved because the one who asked for it is gone. Replicas
 * share the work: an attempt that one has taken is left alone by the others for a while.
 */
export class Reconcile {
  constructor(
    private readonly reservations: ReservationStore,
    private readonly outcomes: FindOutcome,
    private readonly logger: Logger,
  ) {}

  /** Runs one round; true when there may be more to do at once. */
  async execute(): Promise<boolean> {
    const due = await this.reservations.claimDue(BATCH_COUNT);
    await Promise.all(due.map((attempt) => this.#poll(attempt)));
    return due.length === BATCH_COUNT;
  }

  async #poll(attempt: Attempt): Promise<void> {
    try {
      const finding = await this.outcomes.execute(attempt, attempt.evidence?.signature);
      await record(this.reservations, attempt, finding);
    } catch (err) {
      const { operationId } = attempt;
      this.logger.warn({ event: 'reservation.check_failed', operationId, err }, 'Reservation not checked; retrying');
    }
  }
}
