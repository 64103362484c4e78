import { AppError, isUuid, notFound } from '@agent-wallet/kernel';
import type { OperatorNote, SessionStore } from '../../ports/session-store.js';

const MAX_OPERATOR_CHARACTERS = 200;
const MAX_REASON_CHARACTERS = 1_000;

/** Ends sessions by an operator's hand: at once, at every replica. */
export class RevokeSessions {
  constructor(private readonly sessions: Pick<SessionStore, 'agentById' | 'endAll'>) {}

  /**
   * @param order.agentId whose; empty for every agent's
   * @returns how many this ended
   * @throws AppError VALIDATION_ERROR, NOT_FOUND when the agent is unknown
   */
  async execute({ agentId, operator, reason }: OperatorNote & { readonly agentId: string }): Promise<bigint> {
    if (agentId !== '' && !isUuid(agentId)) throw AppError.field('agentId', 'must be a UUID, or empty for all agents');
    checkText('operator', operator, MAX_OPERATOR_CHARACTERS);
    checkText('reason', reason, MAX_REASON_CHARACTERS);
    if (agentId !== '' && !(await this.sessions.agentById(agentId))) {
      throw notFound('agent', 'Check its id.');
    }
    return this.sessions.endAll(agentId || undefined, { operator, reason });
  }
}

function checkText(field: string, text: string, maxCharacters: number): void {
  if (text.trim() === '') throw AppError.field(field, 'must not be empty');
  if (text.length > maxCharacters) throw AppError.field(field, `must have at most ${maxCharacters} characters`);
}
