import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { currentRequest, type GrpcController } from '@agent-wallet/platform';
import type { Approval } from '../domain/owners/approval.js';
import type { OwnerUseCases } from '../use-cases.js';
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

type Handlers = GrpcController<policyV1.OwnerServiceService>;

/** Handles the gRPC methods of owners. */
export function ownerService(useCases: OwnerUseCases): Handlers {
  return {
    ...passkeyMethods(useCases),
    ...agentMethods(useCases),
    ...approvalMethods(useCases),
    requestApproval: async ({ request }) => answer(await requestApproval(useCases, request)),
  };
}

type PasskeyMethod =
  | 'createPasskeyChallenge'
  | 'addPasskey'
  | 'removePasskey'
  | 'listPasskeys'
  | 'createLoginChallenge'
  | 'verifyLogin';

function passkeyMethods(useCases: OwnerUseCases): Pick<Handlers, PasskeyMethod> {
  const { owners, challenging, adding, removing, startingLogin, verifying } = useCases;
  return {
    createPasskeyChallenge: async ({ ownerId }) => {
      const { expiresAtMs, ...made } = await challenging.execute(readUuid('ownerId', ownerId));
      return { ...made, expiresAtMs: BigInt(expiresAtMs) };
    },
    addPasskey: async ({ ownerId, registrationJson, recovers }) => {
      const approval = await adding.execute(readUuid('ownerId', ownerId), registrationJson, recovers);
      return { approval: approval && approvalMessage(approval) };
    },
    removePasskey: async ({ ownerId, credentialId }) =>
      answer(await removing.execute(readUuid('ownerId', ownerId), credentialId)),
    listPasskeys: async ({ ownerId }) => passkeysMessage(await owners.passkeysOf(readUuid('ownerId', ownerId))),
    createLoginChallenge: async () => {
      const { expiresAtMs, ...made } = await startingLogin.execute();
      return { ...made, expiresAtMs: BigInt(expiresAtMs) };
    },
    verifyLogin: async ({ document, assertionJson }) => verifying.execute(document, assertionJson),
  };
}

type AgentMethod = 'freezeAgent' | 'forgetRecipient' | 'tightenPolicy' | 'listAgents' | 'getAgent';

function agentMethods(useCases: OwnerUseCases): Pick<Handlers, AgentMethod> {
  const { owners, freezing, forgetting, tightening, gettingAgent } = useCases;
  return {
    freezeAgent: async (request) => freezing.execute(readOwned(request)),
    forgetRecipient: async (request) => forgetting.execute(readOwned(request), request.address),
    tightenPolicy: async ({ change }) => {
      if (!change) throw AppError.field('change', 'is required', 'required');
      const { agentId, ownerId, change: fields } = readProposal(change);
      if (ownerId === undefined) throw AppError.field('ownerId', 'is required', 'required');
      return { policy: policyMessage(await tightening.execute({ agentId, ownerId }, fields)) };
    },
    listAgents: async ({ ownerId }) => agentsMessage(await owners.agentsOf(readUuid('ownerId', ownerId))),
    getAgent: async (message) => agentMessage(await gettingAgent.execute(readOwned(message))),
  };
}

function approvalMethods(useCases: OwnerUseCases): Omit<Handlers, PasskeyMethod | AgentMethod | 'requestApproval'> {
  const { approvals, getting, listing, voting, choosing, closing, overruling, confirming, voiding, states } = useCases;
  return {
    getApproval: async ({ approvalId, viewer }) =>
      answer(await getting.execute(readUuid('approvalId', approvalId), readViewer(viewer))),
    listApprovals: async ({ viewer, state, cursor, limit }) => {
      const query = { state: readState(state), cursor, limit };
      return approvalsMessage(await listing.execute(readViewer(viewer), query));
    },
    vote: async ({ approvalId, ownerId, assertionJson }) => {
      const id = readUuid('approvalId', approvalId);
      return answer(await voting.execute(id, readUuid('ownerId', ownerId), assertionJson));
    },
    chooseTrust: async ({ approvalId, ownerId, trust }) => {
      const id = readUuid('approvalId', approvalId);
      return answer(await choosing.execute(id, readUuid('ownerId', ownerId), trust));
    },
    closeApproval: async ({ approvalId, by }) => {
      const { tokenId } = currentRequest() ?? {};
      return answer(await closing.execute(readUuid('approvalId', approvalId), readViewer(by), tokenId));
    },
    overruleOwners: async (request) => {
      const act = readOverruled(request);
      const approval = request.withdraw ? await overruling.withdraw(act) : await overruling.execute(act);
      return { objection: approvalMessage(approval) };
    },
    confirmRecovery: async ({ approvalId, ...note }) => ({
      recovery: approvalMessage(await confirming.execute(readUuid('approvalId', approvalId), note)),
    }),
    cancelClaims: async ({ agentId }) => ({
      cancelled: await approvals.cancelClaims(readUuid('agentId', agentId)),
    }),
    voidOperations: async ({ agentId, askedBeforeMs, endedTokenIds }) => {
      const tokenIds = endedTokenIds.map((id) => readUuid('endedTokenIds', id));
      return { voided: await voiding.execute(readUuid('agentId', agentId), askedBeforeMs, tokenIds) };
    },
    getApprovalStates: async ({ approvalIds }) =>
      statesMessage(await states.execute(approvalIds.map((id) => readUuid('approvalIds', id)))),
  };
}

async function requestApproval(
  { proposing, unfreezing, changingMembers, openingToken, claiming }: OwnerUseCases,
  request: policyV1.RequestApprovalRequest['request'],
): Promise<Approval> {
  if (!request) throw AppError.field('request', 'is required', 'required');
  switch (request.$case) {
    case 'policy':
      return proposing.execute(readProposal(request.value));
    case 'unfreeze':
      return unfreezing.execute(readOwned(request.value));
    case 'member':
      return changingMembers.execute(readMember(request.value));
    case 'token': {
      const { grant, ...owned } = request.value;
      return openingToken.execute(readOwned(owned), readGrant(grant));
    }
    case 'claim':
      return claiming.execute(readClaim(request.value));
  }
}

function answer(approval: Approval): { readonly approval: policyV1.Approval } {
  return { approval: approvalMessage(approval) };
}
