import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentWallet, ApiError, isApiError, MemoryStore, OutcomeUnknownError, StillOpenError } from '../src/index.js';
import { FileStore } from '../src/node.js';
import {
  cut,
  failure,
  half,
  redirect,
  ScriptedService,
  silence,
  strange,
  success,
  tokenOf,
} from './scripted-service.js';

const ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';
const DONE = { transactionId: ID, transactionStatus: 'confirmed', status: 'confirmed' };
const SUBMITTED = { transactionId: ID, transactionStatus: 'submitted', status: 'submitted' };
const ORDER = { to: 'RECIPIENT', amount: '0.1', mint: 'USDC' };

let service: ScriptedService;
let store: MemoryStore;
beforeAll(async () => {
  service = await ScriptedService.start();
});
beforeEach(() => {
  store = new MemoryStore();
});
afterAll(() => service.stop());

const walletOf = (agentId = 'agent', options: object = {}) =>
  new AgentWallet({ baseUrl: service.url, store, timeoutMs: 300, retryForMs: 5_000, ...options }, tokenOf(agentId));

/** Resolves once the store is empty. */
async function forgotten(): Promise<void> {
  await eventually(
    () => store.list(),
    (left) => left.length === 0,
  );
}

const keys = () => new Set(service.seen.map(({ headers }) => headers['idempotency-key']));

describe('an operation', () => {
  it('is sent with exact amounts, its key and the wish for the original', async () => {
    service.script(success(DONE));
    expect(await walletOf().transfer(ORDER)).toEqual(DONE);
    await walletOf().transfer({ ...ORDER, amount: 30_000_000_000_000_001n });
    await walletOf().transfer({ ...ORDER, amount: '0.30000000000000000001' });
    expect(service.seen.map(({ body }) => body)).toEqual([
      '{"to":"RECIPIENT","mint":"USDC","amount":0.1}',
      '{"to":"RECIPIENT","mint":"USDC","amountRaw":"30000000000000001"}',
      '{"to":"RECIPIENT","mint":"USDC","amount":0.30000000000000000001}',
    ]);
    expect(service.seen[0]).toMatchObject({
      method: 'POST',
      path: '/wallets/me/actions/transfer',
      headers: { prefer: 'return=original', 'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(keys().size).toBe(3);
  });

  it.each([0.1, '1e3', '-1', '', ' 1', '0x1', Number.NaN, 0n, -1n, null])('takes no amount like %p', async (amount) => {
    service.script(success(DONE));
    await expect(async () => walletOf().transfer({ ...ORDER, amount: amount as string })).rejects.toThrow(TypeError);
    expect(service.seen).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  it.each([
    ['a cut connection', cut],
    ['half an answer', half],
    ['silence', silence],
    ['the page of a proxy', strange(502, '<html>')],
    ['a page that says 200', strange(200, '<html>')],
    ['a failure without an envelope', strange(503, '{"error":"busy"}')],
    ['a failure of something else in an envelope', strange(400, '{"status":false,"message":"","data":{"code":"BAD"}}')],
    ['a redirect', redirect],
    ['a service that is not ready', failure(503, { code: 'SERVICE_UNAVAILABLE', retry: 'same_key' })],
    ['a limit', failure(429, { code: 'RATE_LIMIT_EXCEEDED', retry: 'same_key' }, { 'retry-after': '1' })],
    ['an equal request under way', failure(409, { code: 'IDEMPOTENCY_IN_PROGRESS', retry: 'same_key' })],
  ])('is repeated with the same key after %s', async (_, reply) => {
    service.script(reply, reply, success(DONE));
    expect(await walletOf().transfer(ORDER)).toEqual(DONE);
    expect([service.seen.length, keys().size]).toEqual([3, 1]);
    expect(new Set(service.seen.map(({ body }) => body)).size).toBe(1);
    await forgotten();
  });

  it('is asked for until it ends, and reports each answer before', async () => {
    const waiting = { ...SUBMITTED, transactionStatus: 'awaiting_approval', approvalUrl: 'https://owner.example.com' };
    const odd = { ...SUBMITTED, transactionStatus: 'on_its_way' };
    service.script(success(waiting, 202), success(SUBMITTED, 202), success(odd, 202), success(DONE));
    const seen: string[] = [];
    const onAccepted = ({ transactionStatus }: { transactionStatus: string }) => seen.push(transactionStatus);
    expect(await walletOf().transfer(ORDER, { onAccepted })).toEqual(DONE);
    expect(seen).toEqual(['awaiting_approval', 'submitted', 'on_its_way']);
    expect(keys().size).toBe(1);
  });

  it.each([
    [400, 'VALIDATION_ERROR', 'never', undefined],
    [403, 'POLICY_VIOLATION', 'never', ID],
    [400, 'SLIPPAGE_EXCEEDED', 'new_key', ID],
    [504, 'TRANSACTION_EXPIRED', 'new_key', ID],
    [418, 'CODE_OF_TOMORROW', 'never', undefined],
  ])('that fails for good with %i %s is not repeated, and forgotten', async (status, code, retry, transactionId) => {
    service.script(failure(status, { code, retry, ...(transactionId === undefined ? {} : { transactionId }) }));
    const error = await walletOf()
      .transfer(ORDER)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, code, retry, transactionId });
    expect(isApiError(error, 'POLICY_VIOLATION')).toBe(code === 'POLICY_VIOLATION');
    expect(service.seen).toHaveLength(1);
    expect(await store.list()).toEqual([]);
  });

  it('whose end is not seen is kept, and goes on with its key when the same is asked again', async () => {
    service.script(silence);
    const wallet = walletOf('agent', { timeoutMs: 50, retryForMs: 0 });
    const lost = wallet.transfer(ORDER).catch((error: unknown) => error);
    expect(await lost).toBeInstanceOf(OutcomeUnknownError);
    const [kept] = await wallet.pending();
    expect(kept).toMatchObject({ holder: 'agent', path: '/wallets/me/actions/transfer' });
    expect(await walletOf('another').pending()).toEqual([]);
    const scoped = new AgentWallet({ baseUrl: service.url, store }, tokenOf('agent', 'token'));
    expect(await scoped.pending()).toEqual([]);

    // Another agent, and another order, are other requests.
    service.script(success(DONE));
    await walletOf('another').transfer(ORDER);
    await walletOf().transfer({ ...ORDER, amount: '0.2' });
    expect(keys().has(kept!.key)).toBe(false);
    service.script(success(DONE));
    const resumed: string[] = [];
    await walletOf().transfer(ORDER, { onResume: ({ key }) => resumed.push(key) });
    expect([[...keys()], resumed]).toEqual([[kept!.key], [kept!.key]]);
    await forgotten();
  });

  it('is kept after a failure with an unknown word for the next attempt', async () => {
    service.script(failure(409, { code: 'TOMORROW', retry: 'ask_first' }));
    await expect(walletOf().transfer(ORDER)).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await store.list()).toHaveLength(1);
  });

  it('is kept until its caller had the result', async () => {
    service.script(success(DONE));
    const wallet = walletOf();
    const removed = jest.spyOn(store, 'remove');
    const atResult = await wallet.transfer(ORDER).then(() => removed.mock.calls.length);
    expect(atResult).toBe(0);
    // An equal request of this process is another one nevertheless.
    await wallet.transfer(ORDER);
    expect(keys().size).toBe(2);
    await forgotten();
  });

  it('that waits longer than its caller can be resumed', async () => {
    service.script(success(SUBMITTED, 202));
    const wallet = walletOf();
    const open = await wallet.transfer(ORDER, { waitMs: 1 }).catch((error: unknown) => error);
    expect(open).toBeInstanceOf(StillOpenError);
    expect(open).toMatchObject({ operation: { transactionId: ID }, accepted: { transactionStatus: 'submitted' } });
    service.script(success(DONE));
    const [kept] = await wallet.pending();
    expect(await wallet.resume(kept!)).toEqual(DONE);
    expect(keys()).toEqual(new Set([(open as StillOpenError).operation.key]));
    await forgotten();
  });

  it('ends with its session, and is kept for the next', async () => {
    service.script(failure(401, { code: 'AUTHENTICATION_ERROR', retry: 'same_key' }));
    const wallet = walletOf();
    await expect(wallet.transfer(ORDER)).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR' });
    expect(service.seen).toHaveLength(1);
    expect(await wallet.pending()).toHaveLength(1);
  });

  it('of two that are equal at once is two operations, each with a key', async () => {
    service.script(success(DONE));
    const wallet = walletOf();
    await Promise.all([wallet.transfer(ORDER), wallet.transfer(ORDER)]);
    expect(keys().size).toBe(2);
  });

  it('of two that are equal, one of which ends as the other begins, is two operations', async () => {
    service.script(success(DONE));
    const wallet = walletOf();
    const list = store.list.bind(store);
    const first = wallet.transfer(ORDER);
    // The second lists the first, and goes on once the first has ended.
    store.list = async () => {
      const listed = await list();
      store.list = list;
      await first;
      return listed;
    };
    await new Promise((resolve) => setImmediate(resolve));
    await wallet.transfer(ORDER);
    expect(keys().size).toBe(2);
  });

  it('takes the caller’s key, and refuses it for another order while the first is open', async () => {
    service.script(success(SUBMITTED, 202));
    const wallet = walletOf();
    const open = wallet.transfer(ORDER, { key: 'invoice 7', waitMs: 1 });
    await expect(open).rejects.toBeInstanceOf(StillOpenError);
    await expect(wallet.transfer({ ...ORDER, amount: '0.2' }, { key: 'invoice 7' })).rejects.toThrow(TypeError);
    service.script(success(DONE));
    await wallet.transfer(ORDER, { key: 'invoice 7' });
    expect([...keys()]).toEqual(['invoice 7']);
  });

  it.each(['', 'é', 'a\nb', 'x'.repeat(129)])('sends and keeps nothing for the key %j', async (key) => {
    service.script(success(DONE));
    await expect(walletOf().transfer(ORDER, { key })).rejects.toThrow(TypeError);
    expect([service.seen, await store.list()]).toEqual([[], []]);
  });

  it.each([
    [200, null],
    [200, []],
    [202, null],
    [202, {}],
  ])('is kept where a %i does not say how it stands: %j', async (status, data) => {
    service.script(success(data as object, status));
    const wallet = walletOf('agent', { retryForMs: 0 });
    await expect(wallet.transfer(ORDER)).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await wallet.pending()).toHaveLength(1);
  });

  it('whose kept path names another host is not sent there', async () => {
    service.script(success(DONE));
    const wallet = new AgentWallet({ baseUrl: 'http://wallet.invalid', store, retryForMs: 0 }, tokenOf('agent'));
    const path = `@${new URL(service.url).host}/wallets/me/actions/transfer`;
    await expect(wallet.resume({ key: 'k', holder: 'agent', path, body: '{}', sentAtMs: Date.now() })).rejects.toThrow(
      TypeError,
    );
    expect(service.seen).toEqual([]);
  });

  it('stops when its signal aborts, and is kept', async () => {
    service.script(success(SUBMITTED, 202));
    const stop = new AbortController();
    const wallet = walletOf();
    const sent = wallet.transfer(ORDER, { signal: stop.signal, onAccepted: () => stop.abort(new Error('enough')) });
    await expect(sent).rejects.toThrow('enough');
    expect(await wallet.pending()).toHaveLength(1);
  });
});

describe('a change without a key', () => {
  it('leads to no other route by its id', () => {
    const wallet = walletOf();
    expect(() => wallet.sessions.end('..')).toThrow(TypeError);
    expect(() => wallet.approvals.withdraw('')).toThrow(TypeError);
    expect(() => wallet.tokens.end('.')).toThrow(TypeError);
  });

  it('is never repeated', async () => {
    service.script(cut);
    await expect(walletOf().policy.update({ allowTrading: false })).rejects.toMatchObject({ name: 'NoAnswerError' });
    expect(service.seen).toHaveLength(1);
  });

  it('of a policy names the version that it is of', async () => {
    service.script(success({}));
    await walletOf().policy.update({ dailyLimitInUsd: 900 }, { version: 7 });
    expect(service.seen[0]).toMatchObject({
      method: 'PATCH',
      headers: { 'if-match': '"7"' },
      body: '{"dailyLimitInUsd":900}',
    });
  });
});

describe('a scoped token', () => {
  const ended = { ended: true };

  it('is opened with what is given alone, listed and ended', async () => {
    const opened = { token: { id: ID, name: 'A bot' }, sessionToken: 'secret' };
    const wallet = walletOf();
    service.script(success(opened), success({ tokens: [opened.token] }), success(ended));
    const grant = { name: 'A bot', scopes: ['read', 'trade'], maxSingleInUsd: 0.1, recipients: null } as const;
    expect(await wallet.tokens.open({ ...grant, scopes: [...grant.scopes] })).toEqual(opened);
    expect(await wallet.tokens.list()).toEqual({ tokens: [opened.token] });
    expect(await wallet.tokens.end(ID)).toEqual(ended);
    expect(service.seen.map(({ method, path: to, body }) => [method, to, body])).toEqual([
      [
        'POST',
        '/wallets/me/tokens',
        '{"name":"A bot","scopes":["read","trade"],"maxSingleInUsd":0.1,"recipients":null}',
      ],
      ['GET', '/wallets/me/tokens', ''],
      ['DELETE', `/wallets/me/tokens/${ID}`, ''],
    ]);
    expect(wallet.token).toBe(tokenOf('agent'));
  });

  it.each([cut, half, strange(502, ''), failure(503, { code: 'SERVICE_UNAVAILABLE', retry: 'same_key' })])(
    'is not opened a second time where the answer of the first is lost (%#)',
    async (lost) => {
      service.script(lost, success({ sessionToken: 'second' }));
      await expect(walletOf().tokens.open({ name: 'A bot', scopes: ['read'] })).rejects.toThrow();
      expect(service.seen).toHaveLength(1);
    },
  );
});

describe('a folder of pending requests', () => {
  it('survives the process, and what is half written in it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sdk-'));
    try {
      const request = { key: 'a/b …', holder: 'agent', path: '/p', body: '{"amount":0.1}', sentAtMs: 1 };
      await new FileStore(folder).save(request);
      await writeFile(path.join(folder, 'half.pending.json'), '{"key":"k"');
      const second = new FileStore(folder);
      expect(await second.list()).toEqual([request]);
      await second.remove(request.key);
      await second.remove(request.key);
      expect(await second.list()).toEqual([]);
      expect(await readdir(folder)).toEqual(['half.pending.json']);
      expect(await new FileStore(path.join(folder, 'missing')).list()).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
