import { policyV1 } from '@agent-wallet/contracts';
import type { GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { POLICY_USE_CASES, type PolicyUseCases } from '../application/use-cases.js';
import { type AuthenticatedCall, assertKindOf } from './callers.js';
import {
  freezesMessage,
  outcomeMessage,
  policyMessage,
  readAttemptKey,
  readFreezeOrder,
  readMessageHash,
  readPolicyChange,
  readUuid,
  usageMessage,
} from './messages.js';

/** Policy's gRPC surface. */
@Controller()
export class PolicyController implements GrpcController<policyV1.PolicyServiceService> {
  constructor(@Inject(POLICY_USE_CASES) private readonly useCases: PolicyUseCases) {}

  async createPolicy({ agentId }: policyV1.CreatePolicyRequest): Promise<policyV1.CreatePolicyResponse> {
    return { policy: policyMessage(await this.useCases.createPolicy.execute(readUuid('agentId', agentId))) };
  }

  async getPolicy({ agentId }: policyV1.GetPolicyRequest): Promise<policyV1.GetPolicyResponse> {
    return { policy: policyMessage(await this.useCases.getPolicy.execute(readUuid('agentId', agentId))) };
  }

  async updatePolicy(request: policyV1.UpdatePolicyRequest): Promise<policyV1.UpdatePolicyResponse> {
    const agentId = readUuid('agentId', request.agentId);
    return { policy: policyMessage(await this.useCases.updatePolicy.execute(agentId, readPolicyChange(request))) };
  }

  async getUsage({ agentId }: policyV1.GetUsageRequest): Promise<policyV1.GetUsageResponse> {
    return usageMessage(await this.useCases.getUsage.execute(readUuid('agentId', agentId)));
  }

  async authorize(
    request: policyV1.AuthorizeRequest,
    _metadata?: unknown,
    call?: AuthenticatedCall,
  ): Promise<policyV1.AuthorizeResponse> {
    assertKindOf(request.intent, call);
    return this.useCases.authorize.execute({
      ...readAttemptKey(request),
      agentId: readUuid('agentId', request.agentId),
      intent: request.intent,
      messageHash: readMessageHash(request.messageHash),
      message: request.message,
    });
  }

  async check(
    { agentId, intent }: policyV1.CheckRequest,
    _metadata?: unknown,
    call?: AuthenticatedCall,
  ): Promise<policyV1.CheckResponse> {
    assertKindOf(intent, call);
    const decision = await this.useCases.check.execute(readUuid('agentId', agentId), intent);
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
    return outcomeMessage(await this.useCases.settle.execute(readAttemptKey(request), { message, signature }));
  }

  async setFreeze(request: policyV1.SetFreezeRequest): Promise<policyV1.SetFreezeResponse> {
    return this.useCases.setFreeze.execute(readFreezeOrder(request));
  }

  async listFreezes(): Promise<policyV1.ListFreezesResponse> {
    return freezesMessage(await this.useCases.listFreezes.execute());
  }
}
