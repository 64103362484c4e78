import type { intentV1 } from '@agent-wallet/contracts';
import { notFound } from '@agent-wallet/kernel';
import { APPROVAL_REQUIRED, type Decision, isObstacle, maxAllowedNowUsdMicros } from '../../domain/decision.js';
import { passingAmount, type PassingAmount } from '../../domain/passing-amount.js';
import type { TradeFairness } from '../../domain/trade-fairness.js';
import type { ReservationStore } from '../../ports/reservation-store.js';
import type { PriceRequest } from '../pricing/price-request.js';
import type { ExplainDenial } from './explain-denial.js';

/** The decision that Authorize would make. */
export interface DryRunDecision extends Decision {
  /** Reasons why an owner would have to approve it first; empty when no approval is needed. */
  readonly approvalReasons: readonly string[];
  /** Values of a trade. */
  readonly trade: TradeFairness | undefined;
  /** The largest amount of the token to spend that would pass; undefined where none does, and without a price. */
  readonly passing: PassingAmount | undefined;
}

/** Finds what Authorize would decide on a new operation. It reserves nothing; only the prices that it reads are noted. */
export class DryRun {
  constructor(
    private readonly price: PriceRequest,
    private readonly reservations: ReservationStore,
    private readonly explain: ExplainDenial,
  ) {}

  /**
   * Returns a refusal by policy; throws every other one as Authorize throws it.
   * @throws AppError VALIDATION_ERROR, INVALID_ADDRESS, INSUFFICIENT_FUNDS, INSUFFICIENT_SCOPE, SERVICE_UNAVAILABLE when the
   *   treasury pays out no more today, NOT_FOUND when the agent has no policy
   */
  async execute(agentId: string, intent: intentV1.Intent | undefined, tokenId?: string): Promise<DryRunDecision> {
    const priced = await this.price.execute(agentId, intent);
    const decision = await this.reservations.dryRun({ agentId, tokenId, ...priced });
    if (!decision) throw notFound('policy', 'The first login of the agent creates it.');
    if (isObstacle(decision.verdict)) throw await this.explain.execute(decision, intent!, priced);
    const isToBeApproved = decision.verdict === APPROVAL_REQUIRED;
    const approvalReasons = isToBeApproved ? await this.reservations.approvalReasons({ agentId, ...priced }) : [];
    const passing = priced.spent && passingAmount(priced.spent, maxAllowedNowUsdMicros(decision));
    return { ...decision, approvalReasons, trade: priced.trade, passing };
  }
}
