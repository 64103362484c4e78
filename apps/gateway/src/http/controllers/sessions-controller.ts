import { Controller, Inject, Req } from '@nestjs/common';
import { EndSession } from '../../application/connect/end-session.js';
import { EvictSessions } from '../../application/connect/evict-sessions.js';
import { isoTime } from '../../application/responses/exact-json.js';
import { clientNetwork } from '../../domain/client-network.js';
import type { Session } from '../../domain/session.js';
import { SessionStore } from '../../ports/session-store.js';
import type { Bearer } from '../bearer-token.js';
import type { InputOf } from '../contract/route.js';
import { endSessionByIdRoute, evictRoute, listSessionsRoute, MAX_LISTED_SESSIONS } from '../contract/session-routes.js';
import type { HandlerResponse } from '../envelope.js';
import type { FastifyRequest } from '../fastify-types.js';
import { Caller, Input, Serves } from '../serves.js';

/** The sessions of an agent: seen, and ended. */
@Controller()
export class SessionsController {
  constructor(
    @Inject(SessionStore) private readonly sessions: SessionStore,
    @Inject(EndSession) private readonly endSession: EndSession,
    @Inject(EvictSessions) private readonly evictSessions: EvictSessions,
  ) {}

  @Serves(listSessionsRoute)
  async list(@Caller() caller: Bearer): Promise<HandlerResponse> {
    const sessions = await this.sessions.list(caller.agentId, MAX_LISTED_SESSIONS);
    return { message: 'Sessions.', data: { sessions: sessions.map((each) => sessionResponse(each, caller)) } };
  }

  @Serves(endSessionByIdRoute)
  async end(
    @Input() { params }: InputOf<typeof endSessionByIdRoute>,
    @Caller() caller: Bearer,
  ): Promise<HandlerResponse> {
    await this.endSession.end(caller, params.sessionId);
    return { message: 'The session was ended.', data: { revoked: true } };
  }

  @Serves(evictRoute)
  async evict(@Input() { body }: InputOf<typeof evictRoute>, @Req() request: FastifyRequest): Promise<HandlerResponse> {
    const { email, otpId, otpCode } = body;
    const client = clientNetwork(request.ip);
    const ended = await this.evictSessions.evict({ email, otpId: otpId.toLowerCase(), code: otpCode, client });
    return { message: 'All sessions were ended.', data: { ended } };
  }
}

function sessionResponse(session: Session, { sessionId }: Bearer) {
  return {
    id: session.id,
    createdAt: isoTime(session.createdAtMs),
    authenticatedAt: isoTime(session.authenticatedAtMs),
    lastUsedAt: session.lastUsedAtMs === undefined ? null : isoTime(session.lastUsedAtMs),
    expiresAt: isoTime(session.expiresAtMs),
    network: session.network ?? null,
    current: session.id === sessionId,
  };
}
