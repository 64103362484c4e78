import type { policyV1 } from '@agent-wallet/contracts';
import { currentRequest, type GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import { Settle } from '../application/outcomes/settle.js';
import { Authorize } from '../application/permits/authorize.js';
import { CheckSpending } from '../application/permits/check-spending.js';
import { DryRun } from '../application/permits/dry-run.js';
import { GetUsage } from '../application/policies/get-usage.js';
import { ListFreezes, SetFreeze } from '../application/policies/manage-freezes.js';
import { CreatePolicy, GetPolicy, UpdatePolicy } from '../application/policies/manage-policy.js';
import { askingSession } from './asking-session.js';
import { type AuthenticatedCall, assertKindOf } from './callers.js';
import {
  dryRunMessage,
  freezesMessage,
  outcomeMessage,
  policyMessage,
  readAttemptKey,
  readAuthorizeInput,
  readFreezeCommand,
  readOrigin,
  toPolicyChange,
  readSpending,
  readUuid,
  usageMessage,
} from './messages.js';

/** Policy's gRPC surface. */
@Controller()
export class PolicyController implements GrpcController<policyV1.PolicyServiceService> {
  constructor(
    @Inject(CreatePolicy) private readonly creating: CreatePolicy,
    @Inject(GetPolicy) private readonly getting: GetPolicy,
    @Inject(UpdatePolicy) private readonly updating: UpdatePolicy,
    @Inject(GetUsage) private readonly usage: GetUsage,
    @Inject(Authorize) private readonly authorizing: Authorize,
    @Inject(DryRun) private readonly dryRun: DryRun,
    @Inject(CheckSpending) private readonly checkingSpending: CheckSpending,
    @Inject(Settle) private readonly settling: Settle,
    @Inject(SetFreeze) private readonly freezing: SetFreeze,
    @Inject(ListFreezes) private readonly freezes: ListFreezes,
  ) {}

  async createPolicy(request: policyV1.CreatePolicyRequest): Promise<policyV1.CreatePolicyResponse> {
    const agentId = readUuid('agentId', request.agentId);
    return { policy: policyMessage(await this.creating.execute(agentId, readOrigin(request))) };
  }

  async getPolicy({ agentId }: policyV1.GetPolicyRequest): Promise<policyV1.GetPolicyResponse> {
    return { policy: policyMessage(await this.getting.execute(readUuid('agentId', agentId))) };
  }

  async updatePolicy(request: policyV1.UpdatePolicyRequest): Promise<policyV1.UpdatePolicyResponse> {
    const agentId = readUuid('agentId', request.agentId);
    const policy = await this.updating.execute(agentId, toPolicyChange(request), request.expectedVersion);
    return { policy: policyMessage(policy) };
  }

  async getUsage({ agentId }: policyV1.GetUsageRequest): Promise<policyV1.GetUsageResponse> {
    return usageMessage(await this.usage.execute(readUuid('agentId', agentId)));
  }

  async authorize(
    request: policyV1.AuthorizeRequest,
    _metadata?: unknown,
    call?: AuthenticatedCall,
  ): Promise<policyV1.AuthorizeResponse> {
    assertKindOf(request.intent, call);
    return this.authorizing.execute({ ...readAuthorizeInput(request), session: askingSession() });
  }

  async dryRunAuthorize(
    { agentId, intent }: policyV1.DryRunAuthorizeRequest,
    _metadata?: unknown,
    call?: AuthenticatedCall,
  ): Promise<policyV1.DryRunAuthorizeResponse> {
    assertKindOf(intent, call);
    return dryRunMessage(await this.dryRun.execute(readUuid('agentId', agentId), intent, currentRequest()?.tokenId));
  }

  async checkSpending({ agentId, spending }: policyV1.CheckSpendingRequest): Promise<policyV1.CheckSpendingResponse> {
    return this.checkingSpending.execute(readUuid('agentId', agentId), readSpending(spending));
  }

  async settle(request: policyV1.SettleRequest): Promise<policyV1.SettleResponse> {
    const { message, signature } = request;
    return outcomeMessage(await this.settling.execute(readAttemptKey(request), { message, signature }));
  }

  async setFreeze(request: policyV1.SetFreezeRequest): Promise<policyV1.SetFreezeResponse> {
    return this.freezing.execute(readFreezeCommand(request));
  }

  async listFreezes(): Promise<policyV1.ListFreezesResponse> {
    const { freezes, total } = await this.freezes.execute();
    return { freezes: freezesMessage(freezes), total };
  }
}
