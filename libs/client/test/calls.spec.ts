import { eventually } from '@agent-wallet/testing';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CallError, historyV1, walletV1 } from '../src/index.js';
import { type Call, refusing, serviceError, World } from './servers.js';

const history = historyV1.HistoryServiceDefinition;
const wallet = walletV1.WalletServiceDefinition;

const PAGE = { agentId: 'a', limit: 1, offset: 0, action: '', cursor: '', order: 0 };
const NO_PAGE = { transactions: [], total: 0n, nextCursor: '', hasMore: false };

const world = new World();
beforeAll(() => world.open());
afterEach(() => world.reset());
afterAll(() => world.close());

const failing = (promise: Promise<unknown>) =>
  promise.then(() => undefined).catch((error: unknown) => error as CallError);

/** A page whose total says which server answered. */
const saying = (total: bigint) => ({ listTransactions: () => ({ transactions: [], total }) });
const hanging = { listTransactions: () => new Promise<object>(() => undefined) };

describe('a connection to several replicas', () => {
  it('asks them by turns, goes on with those that are left, and finds one again that is back', async () => {
    const [one, two] = [await world.serve(history, saying(1n)), await world.serve(history, saying(2n))];
    const client = (await world.connect(`ipv4:${one.address},${two.address}`)).client(history);
    const answers = async (count: number) => {
      const found: bigint[] = [];
      for (let n = 0; n < count; n += 1) found.push((await client.listTransactions(PAGE)).total);
      return found;
    };
    await eventually(async () => new Set(await answers(2)).size === 2);
    expect((await answers(10)).filter((total) => total === 1n)).toHaveLength(5);
    one.server.forceShutdown();
    expect(new Set(await answers(10))).toEqual(new Set([2n]));
    await world.serve(history, saying(3n), one.address);
    await eventually(async () => (await answers(2)).includes(3n));
  });
});

describe('a deadline', () => {
  it('is on every call, and a call that misses it was perhaps carried out', async () => {
    let deadline: number | Date = 0;
    const transfer = (call: Call) => {
      deadline = call.getDeadline();
      return new Promise<object>(() => undefined);
    };
    const { address } = await world.serve(wallet, { transfer });
    const client = (await world.connect(address)).client(wallet);
    const request = {
      operationId: 'o',
      agentId: 'a',
      to: 'b',
      mint: '',
      amount: '1',
      memo: '',
      cancelIfNotStarted: false,
    };
    const startedAtMs = Date.now();
    const given = failing(client.transfer({ ...request, waitMs: 25_000 }, { timeoutMs: 200 }));
    expect(await given).toMatchObject({ status: status.DEADLINE_EXCEEDED, code: undefined, mayHaveHappened: true });
    const controller = new AbortController();
    const asItComes = failing(client.transfer({ ...request, waitMs: 25_000 }, { signal: controller.signal }));
    deadline = 0;
    await eventually(() => deadline !== 0);
    expect(Number(deadline) - startedAtMs).toBeGreaterThan(33_000);
    expect(Number(deadline) - startedAtMs).toBeLessThan(60_000);
    controller.abort();
    expect(await asItComes).toMatchObject({ status: status.CANCELLED, mayHaveHappened: true });
  });

  it('is not the only end: a caller may give up', async () => {
    const { address } = await world.serve(history, hanging);
    const client = (await world.connect(address)).client(history);
    expect(await failing(client.listTransactions(PAGE, { signal: AbortSignal.timeout(100) }))).toMatchObject({
      status: status.CANCELLED,
    });
    const neverMade = await failing(client.listTransactions(PAGE, { signal: AbortSignal.abort('enough') }));
    expect(neverMade).toMatchObject({ status: status.CANCELLED, neverProcessed: true, cause: 'enough' });
  });
});

describe('an error', () => {
  it('has what the service said', async () => {
    const refused = serviceError('VALIDATION_ERROR', status.INVALID_ARGUMENT, {
      hints: { rule: 'limit' },
      field: 'limit',
    });
    const { address } = await world.serve(history, {
      listTransactions: refusing(refused),
    });
    const error = await failing((await world.connect(address)).client(history).listTransactions(PAGE));
    expect(error).toBeInstanceOf(CallError);
    expect(error).toMatchObject({
      ...{ code: 'VALIDATION_ERROR', message: 'it is VALIDATION_ERROR', status: status.INVALID_ARGUMENT },
      ...{
        hints: { rule: 'limit' },
        problems: [{ field: 'limit', reason: 'is wrong', problem: 'invalid_format' }],
        retryAfterMs: undefined,
      },
      ...{ method: 'agentwallet.history.v1.HistoryService/ListTransactions', retryable: false },
    });
  });

  it('from another source does not count as the service’s', async () => {
    const { address } = await world.serve(history, {});
    const error = await failing((await world.connect(address)).client(history).listTransactions(PAGE));
    expect(error).toMatchObject({ status: status.UNIMPLEMENTED, code: undefined });
  });
});

describe('what travels with a call', () => {
  it('is the request id, and the headers that the connection was given', async () => {
    const seen: unknown[] = [];
    const listTransactions = ({ metadata }: Call) => {
      seen.push(metadata.get('x-request-id'), metadata.get('traceparent'));
      return NO_PAGE;
    };
    const { address } = await world.serve(history, { listTransactions });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const client = (await world.connect(address, { headers: () => ({ traceparent }) })).client(history);
    await client.listTransactions(PAGE, { requestId: 'request-1' });
    expect(seen).toEqual([['request-1'], [traceparent]]);
  });
});

describe('a certificate', () => {
  it('that is replaced is used, without a failed call; one that is broken is reported and not used', async () => {
    const own = path.join(world.directory, 'own');
    await mkdir(own);
    const tls = { caPath: world.certificates.gateway.caPath, certPath: `${own}/c.pem`, keyPath: `${own}/k.pem` };
    const put = (name: 'gateway' | 'swap') =>
      Promise.all([
        copyFile(world.certificates[name].certPath, tls.certPath),
        copyFile(world.certificates[name].keyPath, tls.keyPath),
      ]);
    await put('gateway');
    const listTransactions = (call: Call) => {
      const isSwap = call.getAuthContext().sslPeerCertificate!.subjectaltname!.includes('DNS:swap');
      return { transactions: [], total: isSwap ? 2n : 1n };
    };
    const { address } = await world.serve(history, { listTransactions });
    const problems: string[] = [];
    const onTlsProblem = ({ message }: Error) => problems.push(message);
    const client = (await world.connect(address, { tls, rereadTlsMs: 20, onTlsProblem })).client(history);
    const answer = async () => (await client.listTransactions(PAGE)).total;
    expect(await answer()).toBe(1n);
    await put('swap');
    await eventually(async () => (await answer()) === 2n);
    await writeFile(tls.keyPath, 'nothing');
    await eventually(() => problems.length > 0);
    expect(await answer()).toBe(2n);
  });

  it('is asked for at the start', async () => {
    const tls = { ...world.certificates.gateway, keyPath: world.certificates.swap.keyPath };
    await expect(world.connect('127.0.0.1:1', { tls })).rejects.toThrow('is not the key of');
  });

  it('of the server must carry the name of the service', async () => {
    const { address } = await world.serve(history, saying(1n));
    const client = (await world.connect(address, { service: 'policy', retry: { maxAttempts: 1 } })).client(history);
    expect(await failing(client.listTransactions(PAGE))).toMatchObject({ status: status.UNAVAILABLE });
  });
});

describe('closing', () => {
  it('waits for calls under way, and takes no more', async () => {
    let finish = (): void => undefined;
    let isAsked = false;
    const listTransactions = () =>
      new Promise<object>((resolve) => {
        isAsked = true;
        finish = () => resolve(NO_PAGE);
      });
    const { address } = await world.serve(history, { listTransactions });
    const connection = await world.connect(address);
    const client = connection.client(history);
    const underWay = client.listTransactions(PAGE);
    await eventually(() => isAsked);
    const closing = connection.close();
    expect(await failing(client.listTransactions(PAGE))).toMatchObject({ neverProcessed: true });
    finish();
    expect(await underWay).toEqual(NO_PAGE);
    await closing;
  });

  it('waits no longer than its limit', async () => {
    const { address } = await world.serve(history, hanging);
    const connection = await world.connect(address);
    const underWay = failing(connection.client(history).listTransactions(PAGE, { timeoutMs: 300 }));
    await connection.close(50);
    expect(await underWay).toMatchObject({ code: undefined });
  });
});
