import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { ServiceName } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLAIM, NO_CHANGE } from './owners-under-test.js';
import {
  authorization,
  escrowIntent,
  newWallet,
  type OwnersClient,
  payoutIntent,
  type PolicyClient,
  startTestService,
  swapIntent,
  type TestService,
  transferIntent,
} from './service.js';

const NAMES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history', 'ops'] as const;
const agentId = newId();
const intent = transferIntent(newWallet().address);
const attempt = { operationId: newId(), step: 1, attempt: 1 };
const nothing = Buffer.alloc(0);

/** A request that is never permitted, so that the error only shows who may call. */
const withoutAction = () => ({ ...authorization(agentId, intent).request, intent: undefined });

const PAYMENT = policyV1.Spending.SPENDING_PAYMENT;

/** Every method of PolicyService, who may call it, and a call of it. */
const METHODS: ReadonlyArray<[string, readonly ServiceName[], (client: PolicyClient) => Promise<unknown>]> = [
  ['createPolicy', ['gateway'], (client) => client.createPolicy({ agentId, namedOwnerId: '' })],
  ['getPolicy', ['gateway', 'prediction'], (client) => client.getPolicy({ agentId })],
  ['updatePolicy', ['gateway'], (client) => client.updatePolicy({ agentId, allowedRecipients: undefined })],
  ['getUsage', ['gateway', 'wallet', 'swap', 'prediction'], (client) => client.getUsage({ agentId })],
  ['authorize', ['wallet', 'swap'], (client) => client.authorize(withoutAction())],
  ['dryRunAuthorize', ['wallet', 'swap'], (client) => client.dryRunAuthorize({ agentId, intent: undefined })],
  ['checkSpending', ['wallet', 'swap', 'prediction'], (client) => client.checkSpending({ agentId, spending: PAYMENT })],
  ['settle', ['wallet', 'swap'], (client) => client.settle({ ...attempt, message: nothing, signature: nothing })],
  ['getPrices', ['wallet', 'swap', 'prediction'], (client) => client.getPrices({ mints: [], shown: true })],
  ['setFreeze', ['ops'], (client) => client.setFreeze({ agentId, frozen: true, operator: 'me', reason: 'a test' })],
  ['listFreezes', ['ops'], (client) => client.listFreezes({})],
];

const ownerId = newId();
const approvalId = newId();
const viewer = { $case: 'ownerId', value: ownerId } as const;
const claim = {
  $case: 'claim',
  value: { agentId: newId(), ownerId, ...CLAIM },
} as const;
const state = policyV1.ApprovalState.APPROVAL_STATE_UNSPECIFIED;

/** Every method of OwnerService but the wallet's, and a call of it. Only the gateway may make it, or operators. */
const OWNER_METHODS: Readonly<
  Record<Exclude<keyof policyV1.OwnerServiceService, 'getApprovalStates'>, (client: OwnersClient) => Promise<unknown>>
> = {
  createPasskeyChallenge: (client) => client.createPasskeyChallenge({ ownerId }),
  overruleOwners: (client) =>
    client.overruleOwners({ agentId: newId(), act: 0, operator: '', reason: '', withdraw: false }),
  confirmRecovery: (client) => client.confirmRecovery({ approvalId: newId(), operator: '', reason: '' }),
  addPasskey: (client) => client.addPasskey({ ownerId, registrationJson: '{}' }),
  removePasskey: (client) => client.removePasskey({ ownerId, credentialId: Buffer.alloc(32) }),
  listPasskeys: (client) => client.listPasskeys({ ownerId }),
  createLoginChallenge: (client) => client.createLoginChallenge({}),
  verifyLogin: (client) => client.verifyLogin({ document: nothing, assertionJson: '{}' }),
  requestApproval: (client) => client.requestApproval({ request: claim }),
  voidOperations: (client) => client.voidOperations({ agentId, askedBeforeMs: 0n, endedTokenIds: [] }),
  getApproval: (client) => client.getApproval({ approvalId, viewer }),
  listApprovals: (client) => client.listApprovals({ viewer, state, cursor: '' }),
  vote: (client) => client.vote({ approvalId, ownerId, assertionJson: '{}' }),
  chooseTrust: (client) => client.chooseTrust({ approvalId, ownerId, trust: 'once' }),
  closeApproval: (client) => client.closeApproval({ approvalId, by: viewer }),
  cancelClaims: (client) => client.cancelClaims({ agentId: newId() }),
  forgetRecipient: (client) => client.forgetRecipient({ agentId: newId(), ownerId, address: 'x' }),
  freezeAgent: (client) => client.freezeAgent({ agentId: newId(), ownerId }),
  tightenPolicy: (client) => client.tightenPolicy({ change: { ...NO_CHANGE, agentId: newId(), ownerId } }),
  listAgents: (client) => client.listAgents({ ownerId }),
  getAgent: (client) => client.getAgent({ agentId: newId(), ownerId }),
};

// Generous: the whole of policy runs here, maybe on a busy machine.

let service: TestService;
let clients: Map<ServiceName, PolicyClient>;
let ownersClients: Map<ServiceName, OwnersClient>;

beforeAll(async () => {
  service = await startTestService();
  clients = new Map(await Promise.all(NAMES.map(async (name) => [name, await service.as(name)] as const)));
  ownersClients = new Map(await Promise.all(NAMES.map(async (name) => [name, await service.ownersAs(name)] as const)));
});
afterAll(() => service.stop());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'OK',
    (error: { code?: string }) => error.code,
  );

describe.each(METHODS)('%s', (_, allowed, call) => {
  it.each(NAMES.filter((name) => !allowed.includes(name)))('refuses %s', async (name) => {
    expect(await codeOf(call(clients.get(name)!))).toBe('CALLER_NOT_ALLOWED');
  });

  it.each(allowed)('lets %s in', async (name) => {
    expect(['OK', 'NOT_FOUND', 'VALIDATION_ERROR']).toContain(await codeOf(call(clients.get(name)!)));
  });
});

describe.each(Object.entries(OWNER_METHODS))('%s', (method, call) => {
  const allowed = method === 'overruleOwners' || method === 'confirmRecovery' ? 'ops' : 'gateway';
  it.each(NAMES.filter((name) => name !== allowed))('refuses %s', async (name) => {
    expect(await codeOf(call(ownersClients.get(name)!))).toBe('CALLER_NOT_ALLOWED');
  });

  it(`lets ${allowed} in`, async () => {
    const codes = ['OK', 'NOT_FOUND', 'ASSERTION_INVALID', 'VALIDATION_ERROR'];
    expect(codes).toContain(await codeOf(call(ownersClients.get(allowed)!)));
  });
});

describe('getApprovalStates', () => {
  const states = (name: ServiceName) =>
    codeOf(ownersClients.get(name)!.getApprovalStates({ approvalIds: [approvalId] }));

  const waiting: readonly ServiceName[] = ['wallet', 'swap', 'prediction'];

  it.each(waiting)('lets %s in', async (name) => {
    expect(await states(name)).toBe('OK');
  });

  it.each(NAMES.filter((name) => !waiting.includes(name)))('refuses %s', async (name) => {
    expect(await states(name)).toBe('CALLER_NOT_ALLOWED');
  });
});

describe('what is asked to be permitted', () => {
  const kinds = {
    wallet: [transferIntent(newWallet().address), escrowIntent(newWallet().address), payoutIntent(newWallet().address)],
    swap: [swapIntent(newWallet().address)],
  };
  const asked = (Object.keys(kinds) as Array<keyof typeof kinds>).flatMap((owner) =>
    kinds[owner].flatMap((each) => (['wallet', 'swap'] as const).map((name) => ({ name, owner, intent: each }))),
  );

  it.each(asked)('is for $name to ask when it is $owner that does it: $intent.action.$case', async (each) => {
    const client = clients.get(each.name)!;
    const calls = [
      client.authorize(authorization(agentId, each.intent).request),
      client.dryRunAuthorize({ agentId, intent: each.intent }),
    ];
    for (const code of await Promise.all(calls.map(codeOf))) {
      if (each.name === each.owner) expect(code).not.toBe('CALLER_NOT_ALLOWED');
      else expect(code).toBe('CALLER_NOT_ALLOWED');
    }
  });
});
