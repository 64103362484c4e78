import { notFound } from '@agent-wallet/kernel';
import type { Rule } from '../../domain/decision.js';
import { refusalOf } from '../../domain/refusal.js';
import type { PricedIntent, ReservationStore } from '../../ports/reservation-store.js';

/** The rules that forbid a kind of spending at any value. */
const STOPS: ReadonlySet<string> = new Set<Rule>(['frozen', 'trading_disabled', 'prediction_markets_disabled']);

/** Refuses a kind of spending that a freeze or a switch forbids. */
export class CheckSpending {
  constructor(private readonly reservations: Pick<ReservationStore, 'dryRun'>) {}

  /** @throws AppError POLICY_VIOLATION, NOT_FOUND when the agent has no policy */
  async execute(agentId: string, kind: PricedIntent['kind']): Promise<void> {
    // The one rule decides, about a request of no value: what it says beyond freezes and switches is left out.
    const decision = await this.reservations.dryRun({ agentId, kind, recipient: '', valueUsdMicros: undefined });
    if (!decision) throw notFound('policy', 'The first login of the agent creates it.');
    if (STOPS.has(decision.verdict)) throw refusalOf(decision);
  }
}
