import { Controller, Inject, Req, Res } from '@nestjs/common';
import { StartLogin } from '../../application/connect/start-login.js';
import { LogInOwner } from '../../application/owners/log-in-owner.js';
import { isoTime } from '../../application/responses/exact-json.js';
import { mailedMessage } from '../../application/responses/mailed-message.js';
import { clientNetwork } from '../../domain/client-network.js';
import * as routes from '../contract/owner-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import type { FastifyReply, FastifyRequest } from '../fastify-types.js';
import { type AdmittedOwner, OwnerAdmission } from '../owners/owner-admission.js';
import { assertionJson } from '../owners/passkey-json.js';
import { Input, OwnerCaller, Serves } from '../serves.js';

/** Logins of owners, whose sessions are in a cookie. */
@Controller()
export class OwnerLoginController {
  constructor(
    @Inject(StartLogin) private readonly mailing: StartLogin,
    @Inject(LogInOwner) private readonly logins: LogInOwner,
    @Inject(OwnerAdmission) private readonly admission: OwnerAdmission,
  ) {}

  @Serves(routes.startOwnerLoginRoute)
  async start(
    @Input() { body }: InputOf<typeof routes.startOwnerLoginRoute>,
    @Req() request: FastifyRequest,
  ): Promise<HandlerResponse> {
    const use = { purpose: 'owner_login' } as const;
    const started = await this.mailing.start(body.email, clientNetwork(request.ip), use);
    const { otpId, expiresAtMs } = started;
    return { message: mailedMessage(started), data: { otpId, expiresAt: isoTime(expiresAtMs) } };
  }

  @Serves(routes.completeOwnerLoginRoute)
  async complete(
    @Input() { body }: InputOf<typeof routes.completeOwnerLoginRoute>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HandlerResponse> {
    const { email, otpId, otpCode: code } = body;
    const sent = { email, otpId: otpId.toLowerCase(), code, client: clientNetwork(request.ip) };
    const { owner, token, isPasskeyRequired: passkeyRequired } = await this.logins.byMail(sent);
    this.admission.cookie.set(reply, token);
    return { message: 'Logged in by mail.', data: { owner: { ...owner }, passkeyRequired } };
  }

  @Serves(routes.ownerLoginChallengeRoute)
  async challenge(): Promise<HandlerResponse> {
    const { document, rpId, expiresAtMs } = await this.logins.challenge();
    const data = { document: document.toString(), rpId, expiresAt: isoTime(expiresAtMs) };
    return { message: 'Sign this document.', data };
  }

  @Serves(routes.passkeyLoginRoute)
  async byPasskey(
    @Input() { body }: InputOf<typeof routes.passkeyLoginRoute>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HandlerResponse> {
    const earlier = { token: this.admission.cookie.read(request) };
    const login = { document: Buffer.from(body.document), assertionJson: assertionJson(body.assertion) };
    const { owner, token } = await this.logins.byPasskey(login, clientNetwork(request.ip), earlier);
    this.admission.cookie.set(reply, token);
    return { message: 'Logged in by passkey.', data: { owner: { ...owner } } };
  }

  @Serves(routes.endOwnerSessionRoute)
  async end(
    @OwnerCaller() { token }: AdmittedOwner,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HandlerResponse> {
    await this.logins.end(token);
    this.admission.cookie.clear(reply);
    return { message: 'Logged out.', data: { revoked: true } };
  }
}
