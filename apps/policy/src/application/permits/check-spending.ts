import { notFound } from '@agent-wallet/kernel';
import { refusalOf } from '../../domain/refusal.js';
import { spendingFacts, type SpendingKind } from '../../domain/spending.js';
import type { ReservationStore } from '../../ports/reservation-store.js';

/** More than any trade loses, so that the decision names the bound of the policy alone. */
const ANY_LOSS = {
  ...{ inputUsdMicros: undefined, leastOutputUsdMicros: undefined, lossBps: undefined },
  ...{ maxLossBps: 10_000, takesUnpriced: true },
};

/** Refuses a kind of spending that a freeze, a missing owner or a switch forbids. */
export class CheckSpending {
  constructor(private readonly reservations: Pick<ReservationStore, 'dryRun'>) {}

  /**
   * Returns the owner's bound on the loss of a trade; undefined where there is none.
   * @throws AppError POLICY_VIOLATION, NOT_FOUND when the agent has no policy
   */
  async execute(agentId: string, kind: SpendingKind): Promise<{ readonly maxTradeLossBps: number | undefined }> {
    // The one rule decides, about a request of no value: what it says beyond these is left out.
    const request = { agentId, kind, recipient: '', valueUsdMicros: undefined, trade: ANY_LOSS };
    const decision = await this.reservations.dryRun(request);
    if (!decision) throw notFound('policy', 'The first login of the agent creates it.');
    const { verdict, maxLossBps } = decision;
    const isStopped = verdict === spendingFacts(kind).stop?.rule;
    if (verdict === 'frozen' || verdict === 'owner_required' || isStopped) throw refusalOf(decision);
    return { maxTradeLossBps: maxLossBps < ANY_LOSS.maxLossBps ? maxLossBps : undefined };
  }
}
