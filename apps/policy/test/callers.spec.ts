import { newId } from '@agent-wallet/kernel';
import type { ServiceName } from '@agent-wallet/platform';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  authorization,
  newWallet,
  type PolicyClient,
  startTestService,
  type TestService,
  transferIntent,
} from './service.js';

const NAMES = ['gateway', 'wallet', 'policy', 'swap', 'prediction', 'signer', 'history', 'ops'] as const;
const agentId = newId();
const intent = transferIntent(newWallet().address);
const attempt = { operationId: newId(), step: 1, attempt: 1 };
const nothing = Buffer.alloc(0);

/** Every method, who may call it, and a call of it. */
const METHODS: ReadonlyArray<[string, readonly ServiceName[], (client: PolicyClient) => Promise<unknown>]> = [
  ['createPolicy', ['gateway'], (client) => client.createPolicy({ agentId })],
  ['getPolicy', ['gateway', 'prediction'], (client) => client.getPolicy({ agentId })],
  ['updatePolicy', ['gateway'], (client) => client.updatePolicy({ agentId, allowedRecipients: undefined })],
  ['getUsage', ['gateway'], (client) => client.getUsage({ agentId })],
  ['authorize', ['wallet', 'swap'], (client) => client.authorize(authorization(agentId, intent).request)],
  ['check', ['wallet', 'swap'], (client) => client.check({ agentId, intent })],
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
    expect(['OK', 'NOT_FOUND']).toContain(await codeOf(call(clients.get(name)!)));
  });
});
