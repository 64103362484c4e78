import { AppError } from '@agent-wallet/kernel';
import type { Standing } from '../domain/decision.js';
import type { Ledger } from '../ports/ledger.js';

/** Tells what of the daily limit is used now. */
export class GetUsage {
  constructor(private readonly ledger: Ledger) {}

  /** @throws AppError NOT_FOUND when the agent has no policy */
  async execute(agentId: string): Promise<Standing> {
    const standing = await this.ledger.foresee({ agentId, kind: 'payment', recipient: '', valueUsdMicros: undefined });
    if (!standing) throw new AppError('NOT_FOUND', { message: 'The agent has no policy.' });
    return standing;
  }
}
