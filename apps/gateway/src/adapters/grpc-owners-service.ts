import { toAppError } from '@agent-wallet/platform';
import type { OwnersService } from '../ports/owners-service.js';
import { present } from '../ports/services.js';
import type { Clients } from './grpc-clients.js';
import { answered, CALL_WITHIN_MS } from './grpc-services.js';

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
    passkeyChallenge: (ownerId) => answered(owners, (within) => owners.createPasskeyChallenge({ ownerId }, within)),
    addPasskey: async (ownerId, registrationJson) =>
      (await once((within) => owners.addPasskey({ ownerId, registrationJson }, within))).approval,
    removePasskey: async (ownerId, credentialId) =>
      present((await once((within) => owners.removePasskey({ ownerId, credentialId }, within))).approval, 'approval'),
    passkeys: async (ownerId) =>
      (await answered(owners, (within) => owners.listPasskeys({ ownerId }, within))).passkeys,
    loginChallenge: () => answered(owners, (within) => owners.createLoginChallenge({}, within)),
    verifyLogin: async (login) => (await once((within) => owners.verifyLogin(login, within))).ownerId,
    request: async (request) =>
      present((await answered(owners, (within) => owners.requestApproval({ request }, within))).approval, 'approval'),
    approval: async (approvalId, viewer) =>
      present(
        (await answered(owners, (within) => owners.getApproval({ approvalId, viewer }, within))).approval,
        'approval',
      ),
    approvals: (viewer, query) => answered(owners, (within) => owners.listApprovals({ viewer, ...query }, within)),
    vote: async (vote) => present((await once((within) => owners.vote(vote, within))).approval, 'approval'),
    close: async (approvalId, by) =>
      present((await once((within) => owners.closeApproval({ approvalId, by }, within))).approval, 'approval'),
    voidOperations: async (agentId, beforeMs) => {
      const request = { agentId, askedBeforeMs: BigInt(beforeMs) };
      return (await answered(owners, (within) => owners.voidOperations(request, within))).voided;
    },
    agents: async (ownerId) => (await answered(owners, (within) => owners.listAgents({ ownerId }, within))).agents,
    freeze: async (agentId, ownerId) =>
      (await answered(owners, (within) => owners.freezeAgent({ agentId, ownerId }, within))).changed,
    tighten: async (change) =>
      present((await answered(owners, (within) => owners.tightenPolicy({ change }, within))).policy, 'policy'),
  };
}
