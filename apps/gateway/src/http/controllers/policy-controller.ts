import type { policyV1 } from '@agent-wallet/contracts';
import { Controller, Inject } from '@nestjs/common';
import { policyResponse, policyWarnings, usageResponse } from '../../application/responses/policy-response.js';
import { integerNumber } from '../../application/responses/exact-json.js';
import { PolicyService } from '../../ports/services.js';
import type { Bearer } from '../bearer-token.js';
import { getPolicyRoute, updatePolicyRoute, usageRoute } from '../contract/policy-routes.js';
import type { InputOf } from '../contract/route.js';
import type { HandlerResponse } from '../envelope.js';
import { changedFields } from '../owners/owner-input.js';
import { Caller, Input, Serves } from '../serves.js';

/** What the agent may do. */
@Controller()
export class PolicyController {
  constructor(@Inject(PolicyService) private readonly policy: PolicyService) {}

  @Serves(getPolicyRoute)
  async get(@Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    const policy = await this.policy.policy(agentId);
    const { claimed, version, approvalLifetimeHours } = policy;
    const owned = { claimed, version: integerNumber(version), approvalLifetimeHours };
    return { message: 'Policy.', data: { policy: policyResponse(policy), ...owned } };
  }

  @Serves(updatePolicyRoute)
  async update(
    @Input() { body }: InputOf<typeof updatePolicyRoute>,
    @Caller() { agentId }: Bearer,
  ): Promise<HandlerResponse> {
    if (Object.keys(body).length === 0) {
      return { message: 'Nothing to change.', data: updated(await this.policy.policy(agentId)) };
    }
    const policy = await this.policy.update({ agentId, ...changedFields(body) });
    return { message: 'The policy was updated.', data: updated(policy) };
  }

  @Serves(usageRoute)
  async usage(@Caller() { agentId }: Bearer): Promise<HandlerResponse> {
    return { message: 'Usage of the daily limit.', data: usageResponse(await this.policy.usage(agentId)) };
  }
}

function updated(policy: policyV1.Policy) {
  return { policy: policyResponse(policy), warnings: policyWarnings(policy) };
}
