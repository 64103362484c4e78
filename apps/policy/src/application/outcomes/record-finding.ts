import type { Attempt, AttemptState, Finding } from '../../domain/attempt.js';
import type { ReservationStore } from '../../ports/reservation-store.js';

/** Writes what was found of an attempt: its outcome, or when to look again. Answers the state that stands. */
export async function record(
  reservations: Pick<ReservationStore, 'settle' | 'checkWithin'>,
  attempt: Attempt,
  finding: Finding,
): Promise<AttemptState> {
  if (finding.state !== 'open') return reservations.settle(attempt, finding);
  if (finding.provableInMs !== undefined) await reservations.checkWithin(attempt, finding.provableInMs);
  return 'open';
}
