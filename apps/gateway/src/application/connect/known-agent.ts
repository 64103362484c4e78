import { AppError } from '@agent-wallet/kernel';
import type { Agent, SessionStore } from '../../ports/session-store.js';

/** The agent of a session, with its wallet. @throws AppError AUTHENTICATION_ERROR when there is none */
export async function knownAgent(
  sessions: Pick<SessionStore, 'agentById'>,
  agentId: string,
): Promise<Agent & { readonly address: string }> {
  const agent = await sessions.agentById(agentId);
  if (!agent?.address) throw new AppError('AUTHENTICATION_ERROR');
  return { ...agent, address: agent.address };
}
