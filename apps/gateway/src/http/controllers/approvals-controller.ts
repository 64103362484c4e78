import { Controller, Inject } from '@nestjs/common';
import { approvalDetails, approvalPage, approvalResponse } from '../../application/responses/approval-response.js';
import { OwnersService } from '../../ports/owners-service.js';
import type { Bearer } from '../bearer-token.js';
import {
  getApprovalRoute,
  listApprovalsRoute,
  proposeRoute,
  withdrawApprovalRoute,
} from '../contract/approval-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import { approvalQuery, proposedChange, readApprovalId } from '../owners/owner-input.js';
import { Caller, Input, Serves } from '../serves.js';

/** What an agent asks its owner for. */
@Controller()
export class ApprovalsController {
  constructor(@Inject(OwnersService) private readonly owners: OwnersService) {}

  @Serves(proposeRoute)
  async propose(
    @Input() { body }: InputOf<typeof proposeRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    const value = proposedChange(body.changes, { agentId, ownerId: '', note: body.note ?? '' });
    const approval = await this.owners.request({ $case: 'policy', value });
    return { statusCode: 202, message: 'The owner was asked.', data: { approval: approvalResponse(approval) } };
  }

  @Serves(listApprovalsRoute)
  async list(
    @Input() { query }: InputOf<typeof listApprovalsRoute>,
    @Caller() { agentId: value }: Bearer,
  ): Promise<HandlerResponse> {
    const page = await this.owners.approvals({ $case: 'agentId', value }, approvalQuery(query));
    return { message: 'Approvals.', data: approvalPage(page) };
  }

  @Serves(getApprovalRoute)
  async get(
    @Input() { params }: InputOf<typeof getApprovalRoute>,
    @Caller() { agentId: value }: Bearer,
  ): Promise<HandlerResponse> {
    const approval = await this.owners.approval(readApprovalId(params), { $case: 'agentId', value });
    return { message: 'Approval.', data: approvalDetails(approval) };
  }

  @Serves(withdrawApprovalRoute)
  async withdraw(
    @Input() { params }: InputOf<typeof withdrawApprovalRoute>,
    @Caller() { agentId: value }: Bearer,
  ): Promise<HandlerResponse> {
    const approval = await this.owners.close(readApprovalId(params), { $case: 'agentId', value });
    return { message: 'The approval is no longer sought.', data: { approval: approvalResponse(approval) } };
  }
}
