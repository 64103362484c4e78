import { AppError, checkOperatorNote, isUuid, notFound } from '@agent-wallet/kernel';
import type { OperatorNote, SessionStore } from '../../ports/session-store.js';
import type { ReportEvictions } from './report-evictions.js';

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
    checkOperatorNote({ operator, reason });
    if (agentId === '') return this.sessions.endEverything({ operator, reason });
    if (!(await this.sessions.agentById(agentId))) throw notFound('agent', 'Check its id.');
    const { ended, eviction } = await this.sessions.endAll(agentId, { operator, reason });
    await this.evictions.report(eviction);
    return BigInt(ended);
  }
}
