import { checkOperatorNote, notFound } from '@agent-wallet/kernel';
import type { FreezeCommand, FreezeStore } from '../../ports/freeze-store.js';

/** Freezes an agent, or everything, or ends that. */
export class SetFreeze {
  constructor(private readonly freezes: FreezeStore) {}

  /**
   * Sets or lifts a freeze. Idempotent. Once it returns, policy permits nothing that is frozen.
   * @throws AppError VALIDATION_ERROR, NOT_FOUND when the agent has no policy
   */
  async execute(order: FreezeCommand): Promise<{ readonly changed: boolean }> {
    checkOperatorNote(order);
    const result = await this.freezes.set(order);
    if (!result) throw notFound('policy', 'The first login of the agent creates it.');
    return result;
  }
}
