import type { intentV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { type Decision, isObstacle } from '../domain/decision.js';
import type { Ledger } from '../ports/ledger.js';
import type { Appraise } from './appraise.js';
import type { Refuse } from './refuse.js';

/** Tells what Authorize would decide on a new operation, and leaves no trace. */
export class Check {
  constructor(
    private readonly appraise: Appraise,
    private readonly ledger: Ledger,
    private readonly refuse: Refuse,
  ) {}

  /**
   * A refusal by policy is told, every other one thrown as Authorize throws it.
   * @throws AppError VALIDATION_ERROR, INVALID_ADDRESS, INSUFFICIENT_FUNDS, SERVICE_UNAVAILABLE when the treasury pays out no
   *   more today, NOT_FOUND when the agent has no policy
   */
  async execute(agentId: string, intent: intentV1.Intent | undefined): Promise<Decision> {
    const appraisal = await this.appraise.execute(intent);
    const decision = await this.ledger.foresee({ agentId, ...appraisal });
    if (!decision) throw new AppError('NOT_FOUND', { message: 'The agent has no policy.' });
    if (isObstacle(decision.verdict)) throw await this.refuse.execute(decision, intent!, appraisal);
    return decision;
  }
}
