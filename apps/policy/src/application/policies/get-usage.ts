import { notFound } from '@agent-wallet/kernel';
import type { LimitUsage } from '../../domain/decision.js';
import type { ReservationStore } from '../../ports/reservation-store.js';

/** Reports what of the daily limit is used now. */
export class GetUsage {
  constructor(private readonly reservations: ReservationStore) {}

  /** @throws AppError NOT_FOUND when the agent has no policy */
  async execute(agentId: string): Promise<LimitUsage> {
    const usage = await this.reservations.dryRun({
      agentId,
      kind: 'payment',
      recipient: '',
      valueUsdMicros: undefined,
    });
    if (!usage) throw notFound('policy', 'The first login of the agent creates it.');
    return usage;
  }
}
