import { Controller, Inject } from '@nestjs/common';
import { ManageOwnedAgent } from '../../application/owners/manage-owned-agent.js';
import { approvalResponse } from '../../application/responses/approval-response.js';
import { isoTime } from '../../application/responses/exact-json.js';
import { policyResponse, policyWarnings } from '../../application/responses/policy-response.js';
import {
  evictAgentRoute,
  freezeRoute,
  ownedAgentsRoute,
  ownedPolicyRoute,
  unfreezeRoute,
} from '../contract/owner-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import type { AdmittedOwner } from '../owners/owner-admission.js';
import { proposedChange, readAgentId } from '../owners/owner-input.js';
import { Input, OwnerCaller, Serves } from '../serves.js';

/** What an owner does to agents. */
@Controller()
export class OwnedAgentsController {
  constructor(@Inject(ManageOwnedAgent) private readonly managing: ManageOwnedAgent) {}

  @Serves(ownedAgentsRoute)
  async list(@OwnerCaller() { owner }: AdmittedOwner): Promise<HandlerResponse> {
    const agents = (await this.managing.list(owner.id)).map(({ id, email = null, address = null, role, sinceMs }) => ({
      ...{ id, email, chainAddress: address, role },
      since: isoTime(sinceMs),
    }));
    return { message: 'Agents.', data: { agents } };
  }

  @Serves(ownedPolicyRoute)
  async changePolicy(
    @Input() { params, body }: InputOf<typeof ownedPolicyRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const change = proposedChange(body, { agentId: readAgentId(params), ownerId: owner.id, note: '' });
    const { policy, approval } = await this.managing.changePolicy(change);
    if (approval) {
      const message = 'The change loosens the policy. Sign the approval to put it into effect.';
      return { statusCode: 202, message, data: { approval: approvalResponse(approval) } };
    }
    const data = { policy: policyResponse(policy), warnings: policyWarnings(policy) };
    return { message: 'The policy is in effect.', data };
  }

  @Serves(evictAgentRoute)
  async evict(
    @Input() { params }: InputOf<typeof evictAgentRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const ended = await this.managing.evict(owner.id, readAgentId(params));
    return { message: 'The agent’s sessions have ended.', data: { ended } };
  }

  @Serves(freezeRoute)
  async freeze(
    @Input() { params }: InputOf<typeof freezeRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const changed = await this.managing.freeze(owner.id, readAgentId(params));
    return { message: 'The agent is frozen.', data: { changed } };
  }

  @Serves(unfreezeRoute)
  async unfreeze(
    @Input() { params }: InputOf<typeof unfreezeRoute>,
    @OwnerCaller() { owner }: AdmittedOwner,
  ): Promise<HandlerResponse> {
    const approval = await this.managing.unfreeze(owner.id, readAgentId(params));
    const message = 'Sign the approval to end the freeze.';
    return { statusCode: 202, message, data: { approval: approvalResponse(approval) } };
  }
}
