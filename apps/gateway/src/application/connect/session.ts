import { newId } from '@agent-wallet/kernel';
import { sessionNetwork } from '../../domain/client-network.js';
import { type Session, wholeSeconds } from '../../domain/session.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import type { Agent, SessionStore } from '../../ports/session-store.js';
import type { TokenSigner } from '../../ports/tokens.js';

/** A session and the token that stands for it. The token is good once the session's row is written. */
export interface IssuedSession {
  readonly session: Session;
  readonly token: string;
  readonly email: string;
  readonly address: string;
}

export const HOUR_MS = 3_600_000;

/** Creates the session of a login, of so many hours. @param login.client the client's network */
export function firstSession(
  { agentId, hours, client }: { readonly agentId: string; readonly hours: number; readonly client: string },
  nowMs: number,
): Session {
  const id = newId();
  const createdAtMs = wholeSeconds(nowMs);
  return {
    id,
    agentId,
    familyId: id,
    createdAtMs,
    authenticatedAtMs: createdAtMs,
    expiresAtMs: createdAtMs + hours * HOUR_MS,
    network: sessionNetwork(client),
  };
}

/** Signs the token of a session. Two tokens of one session say the same; their signatures differ. */
export async function issueToken(
  { email, address }: { readonly email: string; readonly address: string },
  session: Session,
  tokens: TokenSigner,
): Promise<IssuedSession> {
  const token = await tokens.sign(session);
  return { session, token, email, address };
}

/** Returns the agent of a session, with its wallet. @throws AppError AUTHENTICATION_ERROR when there is none */
export async function knownAgent(
  sessions: Pick<SessionStore, 'agentById'>,
  agentId: string,
): Promise<Agent & { readonly address: string }> {
  const agent = await sessions.agentById(agentId);
  if (!agent?.address) throw unauthenticated('revoked');
  return { ...agent, address: agent.address };
}
