import type { intentV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { Decision } from '../domain/decision.js';
import type { Ledger } from '../ports/ledger.js';
import type { PriceTransfer } from './price-transfer.js';
import { readTransfer } from './read-transfer.js';

/** Tells what Authorize would decide on a new operation, and leaves no trace. */
export class Check {
  constructor(
    private readonly pricing: PriceTransfer,
    private readonly ledger: Ledger,
  ) {}

  /** @throws AppError VALIDATION_ERROR, NOT_FOUND when the agent has no policy */
  async execute(agentId: string, intent: intentV1.Intent | undefined): Promise<Decision> {
    const transfer = readTransfer(intent);
    const valueUsdMicros = await this.pricing.execute(transfer);
    const decision = await this.ledger.foresee({ agentId, recipient: transfer.recipient, valueUsdMicros });
    if (!decision) throw new AppError('NOT_FOUND', { message: 'The agent has no policy.' });
    return decision;
  }
}
