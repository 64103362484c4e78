import { type Clock, newId } from '@agent-wallet/kernel';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { Agent, NewSession, SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';

/** A session and the token that stands for it. The token is good once the session's row is written. */
export interface IssuedSession {
  readonly session: NewSession;
  readonly token: string;
  readonly email: string;
  readonly address: string;
}

const HOUR_MS = 3_600_000;

/** Makes a session of so many hours, and its token. */
export async function issueSession(
  agent: { readonly id: string; readonly email: string; readonly address: string },
  hours: number,
  { tokens, clock }: { readonly tokens: TokenSigner; readonly clock: Clock },
): Promise<IssuedSession> {
  // Whole seconds, as tokens have them: the response, the token and the row name one instant.
  const issuedAtMs = Math.floor(clock.nowMs() / 1000) * 1000;
  const session = { id: newId(), agentId: agent.id, expiresAtMs: issuedAtMs + hours * HOUR_MS };
  const token = await tokens.sign({ ...session, issuedAtMs });
  return { session, token, email: agent.email, address: agent.address };
}

/** The agent of a session, with its wallet. @throws AppError AUTHENTICATION_ERROR when there is none */
export async function knownAgent(
  sessions: Pick<SessionStore, 'agentById'>,
  agentId: string,
): Promise<Agent & { readonly address: string }> {
  const agent = await sessions.agentById(agentId);
  if (!agent?.address) throw unauthenticated('revoked');
  return { ...agent, address: agent.address };
}
