import { toAppError } from '@agent-wallet/platform';
import type { OwnersService } from '../ports/owners-service.js';
import { required } from '../ports/services.js';
import type { Clients } from './grpc-clients.js';
import { callWithReconnect, CALL_WITHIN_MS } from './grpc-services.js';

/**
 * Makes a call that takes a challenge or a signature, which counts once. It never retries: the caller must check the
 * outcome of a lost response.
 */
async function once<T>(call: (within: { readonly deadlineMs: number }) => Promise<T>): Promise<T> {
  try {
    return await call({ deadlineMs: CALL_WITHIN_MS });
  } catch (error) {
    throw toAppError(error);
  }
}

/** Returns policy's part of owners over gRPC. */
export function ownersService({ owners }: Clients): OwnersService {
  return {
    ...trustOf(owners),
    passkeyChallenge: (ownerId) =>
      callWithReconnect(owners, (within) => owners.createPasskeyChallenge({ ownerId }, within)),
    addPasskey: async (ownerId, registrationJson) =>
      (await once((within) => owners.addPasskey({ ownerId, registrationJson }, within))).approval,
    recover: async (ownerId, registrationJson) => {
      const request = { ownerId, registrationJson, recovers: true };
      return required((await once((within) => owners.addPasskey(request, within))).approval, 'approval');
    },
    removePasskey: async (ownerId, credentialId) =>
      required((await once((within) => owners.removePasskey({ ownerId, credentialId }, within))).approval, 'approval'),
    passkeys: async (ownerId) =>
      (await callWithReconnect(owners, (within) => owners.listPasskeys({ ownerId }, within))).passkeys,
    loginChallenge: () => callWithReconnect(owners, (within) => owners.createLoginChallenge({}, within)),
    verifyLogin: async (login) => (await once((within) => owners.verifyLogin(login, within))).ownerId,
    request: async (request) =>
      required(
        (await callWithReconnect(owners, (within) => owners.requestApproval({ request }, within))).approval,
        'approval',
      ),
    approval: async (approvalId, viewer) =>
      required(
        (await callWithReconnect(owners, (within) => owners.getApproval({ approvalId, viewer }, within))).approval,
        'approval',
      ),
    approvals: (viewer, query) =>
      callWithReconnect(owners, (within) => owners.listApprovals({ viewer, ...query }, within)),
    vote: async (vote) => required((await once((within) => owners.vote(vote, within))).approval, 'approval'),
    close: async (approvalId, by) =>
      required((await once((within) => owners.closeApproval({ approvalId, by }, within))).approval, 'approval'),
    cancelClaims: async (agentId) =>
      (await callWithReconnect(owners, (within) => owners.cancelClaims({ agentId }, within))).cancelled,
    voidOperations: async (agentId, beforeMs, endedTokenIds) => {
      const request = { agentId, askedBeforeMs: BigInt(beforeMs), endedTokenIds: [...endedTokenIds] };
      return (await callWithReconnect(owners, (within) => owners.voidOperations(request, within))).voided;
    },
    agents: async (ownerId) =>
      (await callWithReconnect(owners, (within) => owners.listAgents({ ownerId }, within))).agents,
    agent: (ownerId, agentId) => callWithReconnect(owners, (within) => owners.getAgent({ ownerId, agentId }, within)),
    freeze: async (agentId, ownerId) =>
      (await callWithReconnect(owners, (within) => owners.freezeAgent({ agentId, ownerId }, within))).changed,
    tighten: async (change) =>
      required(
        (await callWithReconnect(owners, (within) => owners.tightenPolicy({ change }, within))).policy,
        'policy',
      ),
  };
}

function trustOf(owners: Clients['owners']): Pick<OwnersService, 'chooseTrust' | 'forgetRecipient'> {
  return {
    chooseTrust: async (choice) =>
      required((await callWithReconnect(owners, (within) => owners.chooseTrust(choice, within))).approval, 'approval'),
    forgetRecipient: async (request) =>
      (await callWithReconnect(owners, (within) => owners.forgetRecipient(request, within))).changed,
  };
}
