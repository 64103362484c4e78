import { policyV1 } from '@agent-wallet/contracts';
import { Controller, Inject } from '@nestjs/common';
import { Authorize } from '../application/authorize.js';
import { Check } from '../application/check.js';
import { GetUsage } from '../application/get-usage.js';
import { CreatePolicy, GetPolicy, UpdatePolicy } from '../application/manage-policy.js';
import { Settle } from '../application/settle.js';
import {
  outcomeMessage,
  policyMessage,
  readAttemptKey,
  readMessageHash,
  readPolicyChange,
  readUuid,
  usageMessage,
} from './messages.js';

/** Policy's gRPC surface. */
@Controller()
@policyV1.PolicyServiceControllerMethods()
export class PolicyController implements policyV1.PolicyServiceController {
  constructor(
    @Inject(CreatePolicy) private readonly creating: CreatePolicy,
    @Inject(GetPolicy) private readonly reading: GetPolicy,
    @Inject(UpdatePolicy) private readonly updating: UpdatePolicy,
    @Inject(GetUsage) private readonly usage: GetUsage,
    @Inject(Authorize) private readonly authorizing: Authorize,
    @Inject(Check) private readonly checking: Check,
    @Inject(Settle) private readonly settling: Settle,
  ) {}

  async createPolicy({ agentId }: policyV1.CreatePolicyRequest): Promise<policyV1.CreatePolicyResponse> {
    return { policy: policyMessage(await this.creating.execute(readUuid('agentId', agentId))) };
  }

  async getPolicy({ agentId }: policyV1.GetPolicyRequest): Promise<policyV1.GetPolicyResponse> {
    return { policy: policyMessage(await this.reading.execute(readUuid('agentId', agentId))) };
  }

  async updatePolicy(request: policyV1.UpdatePolicyRequest): Promise<policyV1.UpdatePolicyResponse> {
    const agentId = readUuid('agentId', request.agentId);
    return { policy: policyMessage(await this.updating.execute(agentId, readPolicyChange(request))) };
  }

  async getUsage({ agentId }: policyV1.GetUsageRequest): Promise<policyV1.GetUsageResponse> {
    return usageMessage(await this.usage.execute(readUuid('agentId', agentId)));
  }

  async authorize(request: policyV1.AuthorizeRequest): Promise<policyV1.AuthorizeResponse> {
    return this.authorizing.execute({
      ...readAttemptKey(request),
      agentId: readUuid('agentId', request.agentId),
      intent: request.intent,
      messageHash: readMessageHash(request.messageHash),
    });
  }

  async check({ agentId, intent }: policyV1.CheckRequest): Promise<policyV1.CheckResponse> {
    const decision = await this.checking.execute(readUuid('agentId', agentId), intent);
    const allowed = decision.verdict === 'granted';
    return {
      allowed,
      rule: allowed ? '' : decision.verdict,
      valueUsdMicros: decision.valueUsdMicros,
      usage: usageMessage(decision),
    };
  }

  async settle(request: policyV1.SettleRequest): Promise<policyV1.SettleResponse> {
    const { message, signature } = request;
    return outcomeMessage(await this.settling.execute(readAttemptKey(request), { message, signature }));
  }
}
