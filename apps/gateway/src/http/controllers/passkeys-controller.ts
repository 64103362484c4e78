import { Controller, Inject, Res } from '@nestjs/common';
import { RegisterPasskey } from '../../application/owners/register-passkey.js';
import { approvalResponse } from '../../application/responses/approval-response.js';
import { isoTime } from '../../application/responses/exact-json.js';
import { OwnersService } from '../../ports/owners-service.js';
import { ownerRoute, passkeyOptionsRoute, registerPasskeyRoute, removePasskeyRoute } from '../contract/owner-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import type { FastifyReply } from '../fastify-types.js';
import { type AdmittedOwner, OwnerAdmission } from '../owners/owner-admission.js';
import { creationOptions, passkeyResponse, registrationJson } from '../owners/passkey-json.js';
import { Input, OwnerCaller, Serves } from '../serves.js';

/** The owner of a session, and its passkeys. */
@Controller()
export class PasskeysController {
  constructor(
    @Inject(RegisterPasskey) private readonly registering: RegisterPasskey,
    @Inject(OwnersService) private readonly service: OwnersService,
    @Inject(OwnerAdmission) private readonly admission: OwnerAdmission,
  ) {}

  @Serves(ownerRoute)
  async me(@OwnerCaller() caller: AdmittedOwner): Promise<HandlerResponse> {
    const passkeys = await this.registering.passkeys(caller);
    const { owner, authenticatedBy, authenticatedAtMs } = caller;
    const session = { authenticatedBy, authenticatedAt: isoTime(authenticatedAtMs) };
    return { message: 'Owner.', data: { owner: { ...owner }, ...session, passkeys: passkeys.map(passkeyResponse) } };
  }

  @Serves(passkeyOptionsRoute)
  async options(@OwnerCaller() caller: AdmittedOwner): Promise<HandlerResponse> {
    const options = await this.registering.options(caller);
    return { message: 'Make a passkey with these options.', data: creationOptions(caller.owner, options) };
  }

  @Serves(registerPasskeyRoute)
  async register(
    @Input() { body }: InputOf<typeof registerPasskeyRoute>,
    @OwnerCaller() caller: AdmittedOwner,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HandlerResponse> {
    const { approval, opened } = await this.registering.register(caller, registrationJson(body.registration));
    if (approval) return { statusCode: 202, message: SIGN, data: { approval: approvalResponse(approval) } };
    this.admission.cookie.set(reply, opened.token);
    return { message: 'The passkey was registered.', data: { owner: { ...opened.owner } } };
  }

  @Serves(removePasskeyRoute)
  async remove(
    @Input() { params }: InputOf<typeof removePasskeyRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const approval = await this.service.removePasskey(owner.id, Buffer.from(params.passkeyId, 'base64url'));
    return { statusCode: 202, message: SIGN, data: { approval: approvalResponse(approval) } };
  }
}

const SIGN = 'Sign the approval to put this into effect.';
