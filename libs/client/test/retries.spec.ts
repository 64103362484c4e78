import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { constants } from 'node:http2';
import type { CallError } from '../src/index.js';
import { historyV1, policyV1, walletV1 } from '../src/index.js';
import { answerEmpty, type Handler, serviceError, World } from './servers.js';

const history = historyV1.HistoryServiceDefinition;
const policy = policyV1.PolicyServiceDefinition;
const wallet = walletV1.WalletServiceDefinition;

const PAGE = { agentId: 'a', limit: 1, offset: 0, action: '', cursor: '', order: 0 };
const FREEZE = { agentId: 'a', frozen: true, operator: 'o', reason: 'r' };
const TRANSFER = {
  ...{ operationId: 'o', agentId: 'a', to: 'b', mint: '', amount: '1', memo: '' },
  ...{ waitMs: 0, cancelIfNotStarted: false },
};
const FAST = { retry: { initialBackoffMs: 1 } };

const world = new World();
beforeAll(() => world.open());
afterEach(() => world.reset());
afterAll(() => world.close());

const failing = (promise: Promise<unknown>) =>
  promise.then(() => undefined).catch((error: unknown) => error as CallError);

/** Fails so often, then answers; counts. */
function failingFirst(times: number, error: object, answer: object): { readonly handler: Handler; calls: number } {
  const counted = {
    calls: 0,
    handler: () => {
      counted.calls += 1;
      if (counted.calls <= times) throw error as Error;
      return answer;
    },
  };
  return counted;
}

const unavailable = serviceError('SERVICE_UNAVAILABLE', status.UNAVAILABLE);
const NO_PAGE = { transactions: [], total: 0n, nextCursor: '', hasMore: false };

describe('a call that fails with UNAVAILABLE', () => {
  it('is made again when the method only reads', async () => {
    const { handler } = failingFirst(2, unavailable, NO_PAGE);
    const { address } = await world.serve(history, { listTransactions: handler });
    const client = (await world.connect(address, FAST)).client(history);
    expect(await client.listTransactions(PAGE)).toEqual(NO_PAGE);
  });

  it('is made again when the method bears a repeat, and not when it does not', async () => {
    const transfer = failingFirst(1, unavailable, walletV1.TransferResponse.decode(new Uint8Array()));
    const freeze = failingFirst(1, unavailable, { changed: true });
    const wallets = await world.serve(wallet, { transfer: transfer.handler });
    const policies = await world.serve(policy, { setFreeze: freeze.handler });
    await (await world.connect(wallets.address, FAST)).client(wallet).transfer(TRANSFER);
    expect(transfer.calls).toBe(2);
    const client = (await world.connect(policies.address, FAST)).client(policy);
    const error = await failing(client.setFreeze(FREEZE));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', attempts: 1, mayHaveHappened: false, retryable: true });
    expect(freeze.calls).toBe(1);
  });

  it('ends with the last answer after so many attempts', async () => {
    const counted = failingFirst(100, unavailable, NO_PAGE);
    const { address } = await world.serve(history, { listTransactions: counted.handler });
    const client = (await world.connect(address, { retry: { initialBackoffMs: 1, maxAttempts: 3 } })).client(history);
    expect(await failing(client.listTransactions(PAGE))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', attempts: 3 });
    expect(counted.calls).toBe(3);
  });

  it('is no longer made again once an outage has used the retries up', async () => {
    const counted = failingFirst(1_000, unavailable, NO_PAGE);
    const { address } = await world.serve(history, { listTransactions: counted.handler });
    const client = (await world.connect(address, FAST)).client(history);
    for (let n = 0; n < 20; n += 1) await failing(client.listTransactions(PAGE));
    expect(counted.calls).toBe(20 + 10);
  });
});

describe('a call that fails otherwise', () => {
  it('is made again after RESOURCE_EXHAUSTED only when the service says when, and not before', async () => {
    const flaky = failingFirst(
      1,
      serviceError('RATE_LIMIT_EXCEEDED', status.RESOURCE_EXHAUSTED, { retryAfterMs: 150 }),
      NO_PAGE,
    );
    const untold = failingFirst(1, serviceError('RATE_LIMIT_EXCEEDED', status.RESOURCE_EXHAUSTED), NO_PAGE);
    const { address } = await world.serve(history, {
      listTransactions: flaky.handler,
      listOperationStates: untold.handler,
    });
    const client = (await world.connect(address, FAST)).client(history);
    const startedAtMs = performance.now();
    await client.listTransactions(PAGE);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(149);
    const error = await failing(client.listOperationStates({ operationIds: [] }));
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', attempts: 1 });
  });

  it('is not made again when the time to come back is after the deadline', async () => {
    const error = serviceError('RATE_LIMIT_EXCEEDED', status.RESOURCE_EXHAUSTED, { retryAfterMs: 900 });
    const { address } = await world.serve(history, { listTransactions: failingFirst(1, error, NO_PAGE).handler });
    const client = (await world.connect(address, FAST)).client(history);
    const failed = await failing(client.listTransactions(PAGE, { timeoutMs: 500 }));
    expect(failed).toMatchObject({ attempts: 1, retryAfterMs: 900 });
  });

  it('is never made again for the answer of a rule', async () => {
    const counted = failingFirst(1, serviceError('POLICY_VIOLATION', status.PERMISSION_DENIED), {});
    const { address } = await world.serve(wallet, { transfer: counted.handler });
    const client = (await world.connect(address, FAST)).client(wallet);
    expect(await failing(client.transfer(TRANSFER))).toMatchObject({ code: 'POLICY_VIOLATION', retryable: false });
    expect(counted.calls).toBe(1);
  });
});

describe('a server that refuses a stream', () => {
  it('has not started the call: any method is called again', async () => {
    let seen = 0;
    const address = await world.serveStreams((stream, number) => {
      seen = number;
      // grpc-js makes one more attempt by itself, unseen by callers.
      if (number <= 3) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else answerEmpty(stream);
    });
    const client = (await world.connect(address, FAST)).client(policy);
    expect(await client.setFreeze(FREEZE)).toEqual({ changed: false });
    expect(seen).toBe(4);
  });

  it('differs from one that goes away in the middle: then the outcome is unknown', async () => {
    const address = await world.serveStreams((stream) => stream.session!.destroy());
    const connection = await world.connect(address, FAST);
    const freeze = await failing(connection.client(policy).setFreeze(FREEZE));
    expect(freeze).toMatchObject({ status: status.UNAVAILABLE, code: undefined, attempts: 1, mayHaveHappened: true });
    const page = await failing(connection.client(history).listTransactions(PAGE));
    expect(page).toMatchObject({ code: undefined, mayHaveHappened: false });
    expect(page!.attempts).toBeGreaterThan(1);
  });

  it('leaves a lost call unknown, with any response to a later attempt', async () => {
    const [details] = unavailable.metadata!.get('grpc-status-details-bin') as [Buffer];
    const answer = { 'grpc-status': '14', 'grpc-status-details-bin': details.toString('base64') };
    const address = await world.serveStreams((stream, number) => {
      if (number === 1) return stream.session!.destroy();
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...answer }, { endStream: true });
    });
    const client = (await world.connect(address, { retry: { initialBackoffMs: 1, maxAttempts: 2 } })).client(wallet);
    const error = await failing(client.transfer(TRANSFER));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', attempts: 2, mayHaveHappened: true });
  });
});

describe('a service that is not there', () => {
  it('has done nothing', async () => {
    const client = (await world.connect('127.0.0.1:1', FAST)).client(wallet);
    const error = await failing(client.transfer(TRANSFER, { timeoutMs: 2_000 }));
    expect(error).toMatchObject({ status: status.UNAVAILABLE, neverProcessed: true, mayHaveHappened: false });
  });
});
