import { AppError } from '@agent-wallet/kernel';
import type { Freeze, FreezeOrder, Freezes } from '../ports/freezes.js';

const MAX_OPERATOR_CHARACTERS = 200;
const MAX_REASON_CHARACTERS = 1_000;

/** Freezes an agent, or everything, or ends that. */
export class SetFreeze {
  constructor(private readonly freezes: Freezes) {}

  /**
   * Idempotent. From the answer on nothing is permitted that is frozen.
   * @throws AppError VALIDATION_ERROR, NOT_FOUND when the agent has no policy
   */
  async execute(order: FreezeOrder): Promise<{ readonly changed: boolean }> {
    checkText('operator', order.operator, MAX_OPERATOR_CHARACTERS);
    checkText('reason', order.reason, MAX_REASON_CHARACTERS);
    const result = await this.freezes.set(order);
    if (!result) throw new AppError('NOT_FOUND', { message: 'The agent has no policy.' });
    return result;
  }
}

function checkText(field: string, text: string, maxCharacters: number): void {
  if (text.trim() === '') throw AppError.field(field, 'must not be empty');
  if (text.length > maxCharacters) throw AppError.field(field, `must have at most ${maxCharacters} characters`);
  // Postgres has no such character.
  if (text.includes('\0')) throw AppError.field(field, 'must not contain a null character');
}

/** Lists what is frozen now. */
export class ListFreezes {
  constructor(private readonly freezes: Freezes) {}

  execute(): Promise<Freeze[]> {
    return this.freezes.list();
  }
}
