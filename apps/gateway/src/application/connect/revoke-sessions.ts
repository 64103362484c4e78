import { AppError, isUuid, notFound } from '@agent-wallet/kernel';
import type { OperatorNote, SessionStore } from '../../ports/session-store.js';
import type { ReportEvictions } from './report-evictions.js';

const MAX_OPERATOR_CHARACTERS = 200;
const MAX_REASON_CHARACTERS = 1_000;

/** Ends sessions by an operator's hand: at once, at every replica. */
export class RevokeSessions {
  constructor(
    private readonly sessions: Pick<SessionStore, 'agentById' | 'endAll' | 'endEverything'>,
    private readonly evictions: Pick<ReportEvictions, 'report'>,
  ) {}

  /**
   * Ends sessions. Operations of one agent that wait for an approval become void. An operator who ends every agent's
   * sessions freezes the agents for that.
   * @param order.agentId whose; empty for every agent's
   * @returns how many this ended
   * @throws AppError VALIDATION_ERROR, NOT_FOUND when the agent is unknown, SERVICE_UNAVAILABLE when the sessions have
   * ended and policy cannot be reached: what waits becomes void later
   */
  async execute({ agentId, operator, reason }: OperatorNote & { readonly agentId: string }): Promise<bigint> {
    if (agentId !== '' && !isUuid(agentId)) throw AppError.field('agentId', 'must be a UUID, or empty for all agents');
    checkText('operator', operator, MAX_OPERATOR_CHARACTERS);
    // The log names owners so: an operator must not look like one in it.
    if (/^\s*owner\b/i.test(operator.normalize('NFKC'))) {
      throw AppError.field('operator', 'must not begin with `owner`, which names owners in the log');
    }
    checkText('reason', reason, MAX_REASON_CHARACTERS);
    if (agentId === '') return this.sessions.endEverything({ operator, reason });
    if (!(await this.sessions.agentById(agentId))) throw notFound('agent', 'Check its id.');
    const { ended, eviction } = await this.sessions.endAll(agentId, { operator, reason });
    await this.evictions.report(eviction);
    return BigInt(ended);
  }
}

function checkText(field: string, text: string, maxCharacters: number): void {
  if (text.trim() === '') throw AppError.field(field, 'must not be empty');
  if (text.length > maxCharacters) throw AppError.field(field, `must have at most ${maxCharacters} characters`);
}
