import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { ServiceName } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type OwnersClient, startTestService, type TestService } from './service.js';

const NAMES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history', 'ops'] as const;
const ownerId = newId();
const approvalId = newId();
const viewer = { $case: 'ownerId', value: ownerId } as const;
const claim = { $case: 'claim', value: { agentId: newId(), ownerId } } as const;
const state = policyV1.ApprovalState.APPROVAL_STATE_UNSPECIFIED;

/** Every method but the one of the services that carry out operations, and a call of it. Only the gateway may make it. */
const METHODS: Readonly<
  Record<Exclude<keyof policyV1.OwnerServiceService, 'getApprovalStates'>, (client: OwnersClient) => Promise<unknown>>
> = {
  createPasskeyChallenge: (client) => client.createPasskeyChallenge({ ownerId }),
  addPasskey: (client) => client.addPasskey({ ownerId, registrationJson: '{}' }),
  removePasskey: (client) => client.removePasskey({ ownerId, credentialId: Buffer.alloc(32) }),
  listPasskeys: (client) => client.listPasskeys({ ownerId }),
  createLoginChallenge: (client) => client.createLoginChallenge({}),
  verifyLogin: (client) => client.verifyLogin({ assertionJson: '{}' }),
  requestApproval: (client) => client.requestApproval({ request: claim }),
  getApproval: (client) => client.getApproval({ approvalId, viewer }),
  listApprovals: (client) => client.listApprovals({ viewer, state, cursor: '' }),
  vote: (client) => client.vote({ approvalId, ownerId, assertionJson: '{}' }),
  closeApproval: (client) => client.closeApproval({ approvalId, by: viewer }),
  listAgents: (client) => client.listAgents({ ownerId }),
};

// Generous: the whole of policy runs here, maybe on a busy machine.
jest.setTimeout(30_000);

let service: TestService;
let clients: Map<ServiceName, OwnersClient>;

beforeAll(async () => {
  service = await startTestService();
  clients = new Map(await Promise.all(NAMES.map(async (name) => [name, await service.ownersAs(name)] as const)));
}, 60_000);
afterAll(() => service.stop());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'OK',
    (error: { code?: string }) => error.code,
  );

describe.each(Object.entries(METHODS))('%s', (_, call) => {
  it.each(NAMES.filter((name) => name !== 'gateway'))('refuses %s', async (name) => {
    expect(await codeOf(call(clients.get(name)!))).toBe('CALLER_NOT_ALLOWED');
  });

  it('lets the gateway in', async () => {
    expect(['OK', 'NOT_FOUND', 'ASSERTION_INVALID']).toContain(await codeOf(call(clients.get('gateway')!)));
  });
});

describe('getApprovalStates', () => {
  const states = (name: ServiceName) => codeOf(clients.get(name)!.getApprovalStates({ approvalIds: [approvalId] }));

  it.each(['wallet', 'swap', 'prediction'] as const)('lets %s in', async (name) => {
    expect(await states(name)).toBe('OK');
  });

  it.each(['gateway', 'policy', 'signer', 'history', 'ops'] as const)('refuses %s', async (name) => {
    expect(await states(name)).toBe('CALLER_NOT_ALLOWED');
  });
});
