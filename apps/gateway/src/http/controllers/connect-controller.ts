import { Controller, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from '../fastify-types.js';
import { isoTime } from '../../application/responses/exact-json.js';
import { mailedMessage } from '../../application/responses/mailed-message.js';
import { CompleteLogin } from '../../application/connect/complete-login.js';
import { knownAgent } from '../../application/connect/session.js';
import { RefreshSession } from '../../application/connect/refresh-session.js';
import { StartLogin } from '../../application/connect/start-login.js';
import { clientNetwork } from '../../domain/client-network.js';
import { unauthenticated } from '../../domain/unauthenticated.js';
import { SessionStore } from '../../ports/session-store.js';
import type { Bearer } from '../bearer-token.js';
import { completeRoute, logoutRoute, refreshRoute, startRoute, validateRoute } from '../contract/connect-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import { type AdmittedBearer, Caller, Input, Serves } from '../serves.js';

/** Logging in and out. */
@Controller()
export class ConnectController {
  constructor(
    @Inject(StartLogin) private readonly startLogin: StartLogin,
    @Inject(CompleteLogin) private readonly completeLogin: CompleteLogin,
    @Inject(RefreshSession) private readonly refreshSession: RefreshSession,
    @Inject(SessionStore) private readonly sessions: SessionStore,
  ) {}

  @Serves(startRoute)
  async start(@Input() { body }: InputOf<typeof startRoute>, @Req() request: FastifyRequest): Promise<HandlerResponse> {
    const client = clientNetwork(request.ip);
    const started = await this.startLogin.start(body.email, client, { purpose: body.purpose });
    const { otpId, expiresAtMs } = started;
    return { message: mailedMessage(started), data: { otpId, expiresAt: isoTime(expiresAtMs) } };
  }

  @Serves(completeRoute)
  async complete(
    @Input() { body }: InputOf<typeof completeRoute>,
    @Req() request: FastifyRequest,
  ): Promise<HandlerResponse> {
    const { email, otpId, otpCode } = body;
    const client = clientNetwork(request.ip);
    const { token, session, address, isNewUser } = await this.completeLogin.complete({
      email,
      otpId: otpId.toLowerCase(),
      code: otpCode,
      client,
    });
    const expiresAt = isoTime(session.expiresAtMs);
    const data = { sessionToken: token, expiresAt, chainAddress: address, solanaAddress: address, isNewUser };
    return { message: 'Logged in.', data };
  }

  @Serves(validateRoute)
  async validate(@Caller() caller: Bearer): Promise<HandlerResponse> {
    const { email, address } = await knownAgent(this.sessions, caller.agentId);
    const expiresAt = isoTime(caller.expiresAtMs);
    const data = { valid: true, email, chainAddress: address, solanaAddress: address, expiresAt };
    return { message: 'The token is valid.', data };
  }

  @Serves(refreshRoute)
  async refresh(@Caller() caller: AdmittedBearer, @Req() request: FastifyRequest): Promise<HandlerResponse> {
    const client = clientNetwork(request.ip);
    const { token, session, email, address } = await this.refreshSession.refresh({ ...caller, client });
    const expiresAt = isoTime(session.expiresAtMs);
    const data = { sessionToken: token, expiresAt, email, chainAddress: address, solanaAddress: address };
    return { message: 'The token was exchanged.', data };
  }

  @Serves(logoutRoute)
  async logout(@Caller() caller: Bearer): Promise<HandlerResponse> {
    const ended = await this.sessions.end(caller.sessionId, caller.agentId);
    if (!ended) throw unauthenticated('revoked');
    return { message: 'Logged out.', data: { revoked: true } };
  }
}
