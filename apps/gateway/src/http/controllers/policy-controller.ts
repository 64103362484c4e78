import { Controller, Inject } from '@nestjs/common';
import { policyAnswer, usageAnswer } from '../../application/answers/policy-answer.js';
import type { PolicyService } from '../../ports/policy-service.js';
import type { Bearer } from '../bearer-token.js';
import { getPolicyRoute, updatePolicyRoute, usageRoute } from '../contract/policy-routes.js';
import type { InputOf } from '../contract/route.js';
import type { Answer } from '../envelope.js';
import { Caller, Input, Serves } from '../serves.js';
import { TOKENS } from '../tokens.js';

/** What the agent may do. */
@Controller()
export class PolicyController {
  constructor(@Inject(TOKENS.policy) private readonly policy: PolicyService) {}

  @Serves(getPolicyRoute)
  async get(@Input() _input: InputOf<typeof getPolicyRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    return { message: 'Policy.', data: { policy: policyAnswer(await this.policy.policy(agentId)) } };
  }

  @Serves(updatePolicyRoute)
  async update(@Input() { body }: InputOf<typeof updatePolicyRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    if (Object.keys(body).length === 0) {
      return { message: 'Nothing to change.', data: { policy: policyAnswer(await this.policy.policy(agentId)) } };
    }
    const policy = await this.policy.update({
      agentId,
      maxSingleTransactionUsdMicros: body.maxSingleTransactionInUsd,
      dailyLimitUsdMicros: body.dailyLimitInUsd,
      allowedRecipients: body.allowedRecipients && { addresses: body.allowedRecipients },
      allowTrading: body.allowTrading,
      allowLiquidityProvision: body.allowLiquidityProvision,
      allowPredictionMarkets: body.allowPredictionMarkets,
      sessionExpirationHours: body.sessionExpirationHours,
    });
    return { message: 'The policy was updated.', data: { policy: policyAnswer(policy) } };
  }

  @Serves(usageRoute)
  async usage(@Input() _input: InputOf<typeof usageRoute>, @Caller() { agentId }: Bearer): Promise<Answer> {
    return { message: 'Usage of the daily limit.', data: usageAnswer(await this.policy.usage(agentId)) };
  }
}
