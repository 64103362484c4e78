import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import type { ServiceName } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  authorization,
  escrowIntent,
  newWallet,
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

/** Every method, who may call it, and a call of it. */
const METHODS: ReadonlyArray<[string, readonly ServiceName[], (client: PolicyClient) => Promise<unknown>]> = [
  ['createPolicy', ['gateway'], (client) => client.createPolicy({ agentId })],
  ['getPolicy', ['gateway', 'prediction'], (client) => client.getPolicy({ agentId })],
  ['updatePolicy', ['gateway'], (client) => client.updatePolicy({ agentId, allowedRecipients: undefined })],
  ['getUsage', ['gateway', 'prediction'], (client) => client.getUsage({ agentId })],
  ['authorize', ['wallet', 'swap'], (client) => client.authorize(withoutAction())],
  ['dryRunAuthorize', ['wallet', 'swap'], (client) => client.dryRunAuthorize({ agentId, intent: undefined })],
  ['checkSpending', ['wallet', 'swap', 'prediction'], (client) => client.checkSpending({ agentId, spending: PAYMENT })],
  ['settle', ['wallet', 'swap'], (client) => client.settle({ ...attempt, message: nothing, signature: nothing })],
  ['setFreeze', ['ops'], (client) => client.setFreeze({ agentId, frozen: true, operator: 'me', reason: 'a test' })],
  ['listFreezes', ['ops'], (client) => client.listFreezes({})],
];

// Generous: the whole of policy runs here, maybe on a busy machine.
jest.setTimeout(30_000);

let service: TestService;
let clients: Map<ServiceName, PolicyClient>;

beforeAll(async () => {
  service = await startTestService();
  clients = new Map(await Promise.all(NAMES.map(async (name) => [name, await service.as(name)] as const)));
}, 60_000);
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
