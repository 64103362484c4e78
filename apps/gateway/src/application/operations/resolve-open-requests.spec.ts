import { AppError, newId, systemClock } from '@agent-wallet/kernel';
import { createLogger, currentRequest } from '@agent-wallet/platform';
import { expect, it } from '@jest/globals';
import type { ApiResponse, IdempotencyRecord } from '../../ports/idempotency-store.js';
import type { Action } from './operation.js';
import { ResolveOpenRequests, type ResolveOpenRequestsDependencies } from './resolve-open-requests.js';

const RECORD: IdempotencyRecord = {
  operationId: newId(),
  agentId: newId(),
  action: 'transfer',
  input: {},
  hash: new Uint8Array(),
  state: 'submitted',
  fence: 1,
  signature: '',
  createdAtMs: 0,
  polls: 0,
};

it('names in a failure the request under which the service was asked', async () => {
  const responses: ApiResponse[] = [];
  const requestIds: Array<string | undefined> = [];
  const action: Action = {
    name: 'transfer',
    assertReachable: async () => undefined,
    dryRun: () => Promise.reject(new Error('the resolver evaluates nothing')),
    perform: async () => {
      requestIds.push(currentRequest()?.requestId);
      throw new AppError('TRANSACTION_EXPIRED');
    },
  };
  const requests = {
    takeLeftOpen: async () => [RECORD],
    finish: async (_: string, response: ApiResponse) => void responses.push(response),
  } as unknown as ResolveOpenRequestsDependencies['requests'];
  const history = { find: async () => undefined };
  const resolve = new ResolveOpenRequests({
    requests,
    history,
    actions: [action],
    logger: createLogger('test', 'silent'),
    clock: systemClock,
    explorerUrl: String,
  });
  expect(await resolve.round()).toBe(false);
  expect(responses.map(({ dataJson }) => JSON.parse(dataJson).requestId)).toEqual(requestIds);
  expect(requestIds).toEqual([expect.any(String)]);
});
