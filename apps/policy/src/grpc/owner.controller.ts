import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { currentRequest, type GrpcController } from '@agent-wallet/platform';
import { Controller, Inject } from '@nestjs/common';
import {
  CancelClaims,
  ChooseTrust,
  CloseApproval,
  GetAgent,
  GetApproval,
  GetApprovalStates,
  ListAgents,
  ListApprovals,
  VoidOperations,
  Vote,
} from '../application/owners/decide-approvals.js';
import { FreezeAgent, RequestUnfreeze } from '../application/owners/freeze-agent.js';
import { CreateLoginChallenge, VerifyLogin } from '../application/owners/log-in.js';
import {
  AddPasskey,
  CreatePasskeyChallenge,
  ListPasskeys,
  RemovePasskey,
} from '../application/owners/manage-passkeys.js';
import { ConfirmRecovery, OverruleOwners } from '../application/owners/overrule-owners.js';
import { RequestMember } from '../application/owners/request-member.js';
import { ProposePolicyChange, RequestClaim } from '../application/owners/request-approval.js';
import { ForgetRecipient, TightenPolicy } from '../application/owners/tighten-policy.js';
import type { Approval } from '../domain/owners/approval.js';
import { RequestToken } from '../application/owners/request-token.js';
import { policyMessage, readUuid } from './messages.js';
import { readGrant } from './token-messages.js';
import {
  agentMessage,
  agentsMessage,
  approvalMessage,
  approvalsMessage,
  passkeysMessage,
  readClaim,
  readMember,
  readOverruled,
  readOwned,
  readProposal,
  readState,
  readViewer,
  statesMessage,
} from './owner-messages.js';

/** Policy's gRPC surface of owners. */
@Controller()
export class OwnerController implements GrpcController<policyV1.OwnerServiceService> {
  constructor(
    @Inject(CreatePasskeyChallenge) private readonly challenging: CreatePasskeyChallenge,
    @Inject(AddPasskey) private readonly adding: AddPasskey,
    @Inject(RemovePasskey) private readonly removing: RemovePasskey,
    @Inject(ListPasskeys) private readonly passkeys: ListPasskeys,
    @Inject(CreateLoginChallenge) private readonly startingLogin: CreateLoginChallenge,
    @Inject(VerifyLogin) private readonly verifying: VerifyLogin,
    @Inject(RequestClaim) private readonly claiming: RequestClaim,
    @Inject(ProposePolicyChange) private readonly proposing: ProposePolicyChange,
    @Inject(GetApproval) private readonly getting: GetApproval,
    @Inject(ListApprovals) private readonly approvals: ListApprovals,
    @Inject(Vote) private readonly voting: Vote,
    @Inject(CancelClaims) private readonly cancelling: CancelClaims,
    @Inject(ChooseTrust) private readonly choosing: ChooseTrust,
    @Inject(CloseApproval) private readonly closing: CloseApproval,
    @Inject(ListAgents) private readonly agents: ListAgents,
    @Inject(GetAgent) private readonly gettingAgent: GetAgent,
    @Inject(TightenPolicy) private readonly tightening: TightenPolicy,
    @Inject(ForgetRecipient) private readonly forgetting: ForgetRecipient,
    @Inject(FreezeAgent) private readonly freezing: FreezeAgent,
    @Inject(RequestUnfreeze) private readonly unfreezing: RequestUnfreeze,
    @Inject(GetApprovalStates) private readonly states: GetApprovalStates,
    @Inject(VoidOperations) private readonly voiding: VoidOperations,
    @Inject(RequestMember) private readonly changingMembers: RequestMember,
    @Inject(RequestToken) private readonly openingToken: RequestToken,
    @Inject(OverruleOwners) private readonly overruling: OverruleOwners,
    @Inject(ConfirmRecovery) private readonly confirming: ConfirmRecovery,
  ) {}

  async createPasskeyChallenge({
    ownerId,
  }: policyV1.CreatePasskeyChallengeRequest): Promise<policyV1.CreatePasskeyChallengeResponse> {
    const { expiresAtMs, ...made } = await this.challenging.execute(readUuid('ownerId', ownerId));
    return { ...made, expiresAtMs: BigInt(expiresAtMs) };
  }

  async addPasskey(request: policyV1.AddPasskeyRequest): Promise<policyV1.AddPasskeyResponse> {
    const { ownerId, registrationJson, recovers } = request;
    const approval = await this.adding.execute(readUuid('ownerId', ownerId), registrationJson, recovers);
    return { approval: approval && approvalMessage(approval) };
  }

  async removePasskey({
    ownerId,
    credentialId,
  }: policyV1.RemovePasskeyRequest): Promise<policyV1.RemovePasskeyResponse> {
    return answer(await this.removing.execute(readUuid('ownerId', ownerId), credentialId));
  }

  async listPasskeys({ ownerId }: policyV1.ListPasskeysRequest): Promise<policyV1.ListPasskeysResponse> {
    return passkeysMessage(await this.passkeys.execute(readUuid('ownerId', ownerId)));
  }

  async createLoginChallenge(): Promise<policyV1.CreateLoginChallengeResponse> {
    const { expiresAtMs, ...made } = await this.startingLogin.execute();
    return { ...made, expiresAtMs: BigInt(expiresAtMs) };
  }

  async verifyLogin({ document, assertionJson }: policyV1.VerifyLoginRequest): Promise<policyV1.VerifyLoginResponse> {
    return this.verifying.execute(document, assertionJson);
  }

  async requestApproval({ request }: policyV1.RequestApprovalRequest): Promise<policyV1.RequestApprovalResponse> {
    if (!request) throw AppError.field('request', 'is required', 'required');
    if (request.$case === 'policy') return answer(await this.proposing.execute(readProposal(request.value)));
    if (request.$case === 'unfreeze') return answer(await this.unfreezing.execute(readOwned(request.value)));
    if (request.$case === 'member') return answer(await this.changingMembers.execute(readMember(request.value)));
    if (request.$case === 'token') {
      const { grant, ...owned } = request.value;
      return answer(await this.openingToken.execute(readOwned(owned), readGrant(grant)));
    }
    return answer(await this.claiming.execute(readClaim(request.value)));
  }

  async freezeAgent(request: policyV1.FreezeAgentRequest): Promise<policyV1.FreezeAgentResponse> {
    return this.freezing.execute(readOwned(request));
  }

  async forgetRecipient(request: policyV1.ForgetRecipientRequest): Promise<policyV1.ForgetRecipientResponse> {
    return this.forgetting.execute(readOwned(request), request.address);
  }

  async tightenPolicy({ change }: policyV1.TightenPolicyRequest): Promise<policyV1.TightenPolicyResponse> {
    const { agentId, ownerId, change: fields } = readProposal(change ?? missingChange());
    if (ownerId === undefined) throw AppError.field('ownerId', 'is required', 'required');
    return { policy: policyMessage(await this.tightening.execute({ agentId, ownerId }, fields)) };
  }

  async getApproval({ approvalId, viewer }: policyV1.GetApprovalRequest): Promise<policyV1.GetApprovalResponse> {
    return answer(await this.getting.execute(readUuid('approvalId', approvalId), readViewer(viewer)));
  }

  async listApprovals({
    viewer,
    state,
    cursor,
    limit,
  }: policyV1.ListApprovalsRequest): Promise<policyV1.ListApprovalsResponse> {
    const query = { state: readState(state), cursor, limit };
    return approvalsMessage(await this.approvals.execute(readViewer(viewer), query));
  }

  async vote({ approvalId, ownerId, assertionJson }: policyV1.VoteRequest): Promise<policyV1.VoteResponse> {
    const id = readUuid('approvalId', approvalId);
    return answer(await this.voting.execute(id, readUuid('ownerId', ownerId), assertionJson));
  }

  async chooseTrust({
    approvalId,
    ownerId,
    trust,
  }: policyV1.ChooseTrustRequest): Promise<policyV1.ChooseTrustResponse> {
    const id = readUuid('approvalId', approvalId);
    return answer(await this.choosing.execute(id, readUuid('ownerId', ownerId), trust));
  }

  async closeApproval({ approvalId, by }: policyV1.CloseApprovalRequest): Promise<policyV1.CloseApprovalResponse> {
    const { tokenId } = currentRequest() ?? {};
    return answer(await this.closing.execute(readUuid('approvalId', approvalId), readViewer(by), tokenId));
  }

  async overruleOwners(request: policyV1.OverruleOwnersRequest): Promise<policyV1.OverruleOwnersResponse> {
    const act = readOverruled(request);
    const approval = request.withdraw ? await this.overruling.withdraw(act) : await this.overruling.execute(act);
    return { objection: approvalMessage(approval) };
  }

  async confirmRecovery({
    approvalId,
    ...note
  }: policyV1.ConfirmRecoveryRequest): Promise<policyV1.ConfirmRecoveryResponse> {
    return { recovery: approvalMessage(await this.confirming.execute(readUuid('approvalId', approvalId), note)) };
  }

  async cancelClaims({ agentId }: policyV1.CancelClaimsRequest): Promise<policyV1.CancelClaimsResponse> {
    return { cancelled: await this.cancelling.execute(readUuid('agentId', agentId)) };
  }

  async listAgents({ ownerId }: policyV1.ListAgentsRequest): Promise<policyV1.ListAgentsResponse> {
    return agentsMessage(await this.agents.execute(readUuid('ownerId', ownerId)));
  }

  async getAgent(message: policyV1.GetAgentRequest): Promise<policyV1.GetAgentResponse> {
    return agentMessage(await this.gettingAgent.execute(readOwned(message)));
  }

  async voidOperations({
    agentId,
    askedBeforeMs,
    endedTokenIds,
  }: policyV1.VoidOperationsRequest): Promise<policyV1.VoidOperationsResponse> {
    const tokenIds = endedTokenIds.map((id) => readUuid('endedTokenIds', id));
    return { voided: await this.voiding.execute(readUuid('agentId', agentId), askedBeforeMs, tokenIds) };
  }

  async getApprovalStates({
    approvalIds,
  }: policyV1.GetApprovalStatesRequest): Promise<policyV1.GetApprovalStatesResponse> {
    return statesMessage(await this.states.execute(approvalIds.map((id) => readUuid('approvalIds', id))));
  }
}

function answer(approval: Approval): { readonly approval: policyV1.Approval } {
  return { approval: approvalMessage(approval) };
}

function missingChange(): never {
  throw AppError.field('change', 'is required', 'required');
}
