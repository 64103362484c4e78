import { notFound } from '@agent-wallet/kernel';
import type { Rule } from '../../domain/decision.js';
import { refusalOf } from '../../domain/refusal.js';
import type { ReservationStore, SpendingKind } from '../../ports/reservation-store.js';

/** The rule of the switch that forbids a kind of spending at any value; undefined for what no switch forbids. */
const SWITCHES: Readonly<Record<SpendingKind, Rule | undefined>> = {
  payment: undefined,
  trade: 'trading_disabled',
  escrow: 'prediction_markets_disabled',
  self: undefined,
  payout: undefined,
  liquidity_add: 'liquidity_disabled',
  liquidity_remove: 'liquidity_disabled',
};

/** Refuses a kind of spending that a freeze, a missing owner or a switch forbids. */
export class CheckSpending {
  constructor(private readonly reservations: Pick<ReservationStore, 'dryRun'>) {}

  /** @throws AppError POLICY_VIOLATION, NOT_FOUND when the agent has no policy */
  async execute(agentId: string, kind: SpendingKind): Promise<void> {
    // The one rule decides, about a request of no value: what it says beyond these is left out.
    const decision = await this.reservations.dryRun({ agentId, kind, recipient: '', valueUsdMicros: undefined });
    if (!decision) throw notFound('policy', 'The first login of the agent creates it.');
    const { verdict } = decision;
    if (verdict === 'frozen' || verdict === 'owner_required' || verdict === SWITCHES[kind]) throw refusalOf(decision);
  }
}
