import { AppError } from '@agent-wallet/kernel';
import { Controller, Inject, Req } from '@nestjs/common';
import { ClaimAgent } from '../../application/owners/claim-agent.js';
import { VoteOnApproval } from '../../application/owners/vote-on-approval.js';
import { approvalDetails, approvalPage, approvalResponse } from '../../application/responses/approval-response.js';
import { isoTime } from '../../application/responses/exact-json.js';
import { mailedMessage } from '../../application/responses/mailed-message.js';
import { clientNetwork } from '../../domain/client-network.js';
import { OwnersService } from '../../ports/owners-service.js';
import {
  approveRoute,
  claimRoute,
  getOwnerApprovalRoute,
  listOwnerApprovalsRoute,
  rejectRoute,
  startClaimRoute,
} from '../contract/owner-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import type { FastifyRequest } from '../fastify-types.js';
import type { AdmittedOwner } from '../owners/owner-admission.js';
import { approvalQuery, readApprovalId } from '../owners/owner-input.js';
import { assertionJson } from '../owners/passkey-json.js';
import { Input, OwnerCaller, Serves } from '../serves.js';

/** Claims of agents, and what an owner decides. */
@Controller()
export class OwnerApprovalsController {
  constructor(
    @Inject(ClaimAgent) private readonly claims: ClaimAgent,
    @Inject(VoteOnApproval) private readonly voting: VoteOnApproval,
    @Inject(OwnersService) private readonly service: OwnersService,
  ) {}

  @Serves(startClaimRoute)
  async startClaim(
    @Input() { body }: InputOf<typeof startClaimRoute>,
    @OwnerCaller() caller: AdmittedOwner,
    @Req() request: FastifyRequest,
  ): Promise<HandlerResponse> {
    const started = await this.claims.start(caller, body.agentEmail, clientNetwork(request.ip));
    const { otpId, expiresAtMs } = started;
    return { message: mailedMessage(started), data: { otpId, expiresAt: isoTime(expiresAtMs) } };
  }

  @Serves(claimRoute)
  async claim(
    @Input() { body }: InputOf<typeof claimRoute>,
    @OwnerCaller() caller: AdmittedOwner,
    @Req() request: FastifyRequest,
  ): Promise<HandlerResponse> {
    const { agentEmail, keepSessions: keepsSessions } = body;
    const claim = { agentEmail, keepsSessions, otp: otpOf(body) };
    const approval = await this.claims.request(caller, claim, clientNetwork(request.ip));
    return { statusCode: 202, message: 'Sign the claim.', data: { approval: approvalResponse(approval) } };
  }

  @Serves(listOwnerApprovalsRoute)
  async list(
    @Input() { query }: InputOf<typeof listOwnerApprovalsRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const page = await this.service.approvals({ $case: 'ownerId', value: owner.id }, approvalQuery(query));
    return { message: 'Approvals.', data: approvalPage(page) };
  }

  @Serves(getOwnerApprovalRoute)
  async get(
    @Input() { params }: InputOf<typeof getOwnerApprovalRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const approval = await this.service.approval(readApprovalId(params), { $case: 'ownerId', value: owner.id });
    return { message: 'Approval.', data: approvalDetails(approval) };
  }

  @Serves(approveRoute)
  async approve(
    @Input() { params, body }: InputOf<typeof approveRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const approval = await this.voting.approve(readApprovalId(params), owner.id, assertionJson(body.assertion));
    return { message: 'Signed.', data: { approval: approvalResponse(approval) } };
  }

  @Serves(rejectRoute)
  async reject(
    @Input() { params }: InputOf<typeof rejectRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const approval = await this.service.close(readApprovalId(params), { $case: 'ownerId', value: owner.id });
    return { message: 'Rejected.', data: { approval: approvalResponse(approval) } };
  }
}

/** Both or none. @throws AppError VALIDATION_ERROR */
function otpOf({ otpId, otpCode }: NonNullable<InputOf<typeof claimRoute>['body']>) {
  if (otpId === undefined && otpCode === undefined) return undefined;
  if (otpId === undefined) throw AppError.field('otpId', 'is required', 'required');
  if (otpCode === undefined) throw AppError.field('otpCode', 'is required', 'required');
  return { otpId: otpId.toLowerCase(), code: otpCode };
}
