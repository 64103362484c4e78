import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentWallet, ExpiredKeyError, MemoryStore, OutcomeUnknownError, StillOpenError } from '../src/index.js';
import { cut, failure, type Reply, ScriptedService, silence, success, tokenOf } from './scripted-service.js';

const ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';
const HOUR_MS = 3_600_000;
const DONE = { transactionId: ID, transactionStatus: 'confirmed', status: 'confirmed' };
const SUBMITTED = { transactionId: ID, transactionStatus: 'submitted', status: 'submitted' };
const ORDER = { to: 'RECIPIENT', amount: '0.1', mint: 'USDC' };
const PAY = 'POST /wallets/me/actions/transfer';
const READ = `GET /wallets/me/history/${ID}`;

let service: ScriptedService;
let store: MemoryStore;
let nowMs: number;
beforeAll(async () => {
  service = await ScriptedService.start();
});
beforeEach(() => {
  store = new MemoryStore();
  nowMs = 1_700_000_000_000;
});
afterAll(() => service.stop());

/** Returns a wallet of a later process. */
const opened = () =>
  new AgentWallet({ baseUrl: service.url, store, timeoutMs: 300, retryForMs: 0, nowMs: () => nowMs }, tokenOf('agent'));
const record = (status: string) => success({ transaction: { id: ID, status } });
const seen = () => service.seen.map(({ method, path }) => `${method} ${path}`);
const thrown = (work: Promise<unknown>) => work.catch((error: unknown) => error);

/** Sends an order whose end is not seen, and returns its key. */
async function leaveOpen(reply: Reply): Promise<string> {
  service.script(reply);
  const error = await thrown(opened().transfer(ORDER, { waitMs: 1 }));
  expect([OutcomeUnknownError, StillOpenError]).toContain((error as object).constructor);
  return (await store.list())[0]!.key;
}

describe('a request left open', () => {
  it('is repeated with its key up to 23 hours later', async () => {
    const key = await leaveOpen(cut);
    nowMs += 23 * HOUR_MS;
    service.script(success(DONE));
    expect(await opened().transfer(ORDER)).toEqual(DONE);
    expect(service.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([key]);
  });

  it.each([1, -25 * HOUR_MS])('is not sent when it is older, or the clock cannot tell (%i)', async (moreMs) => {
    const key = await leaveOpen(cut);
    nowMs += moreMs < 0 ? moreMs : 23 * HOUR_MS + moreMs;
    service.script(success(DONE));
    for (const options of [{}, { key }]) {
      const error = await thrown(opened().transfer(ORDER, options));
      expect(error).toBeInstanceOf(ExpiredKeyError);
      expect(error).toMatchObject({ operation: { key }, transaction: undefined });
      expect((error as Error).message).toMatch(/could pay twice.*history.*new key/s);
    }
    expect(seen()).toEqual([]);
    // Its equal is sent with a key of its own, or once it is forgotten.
    await opened().transfer(ORDER, { key: 'another' });
    const [kept] = await opened().pending();
    await opened().forget(kept!);
    await opened().transfer(ORDER);
    expect(seen()).toEqual([PAY, PAY]);
    expect(service.seen.map(({ headers }) => headers['idempotency-key'])).not.toContain(key);
  });

  it.each(['confirmed', 'failed', 'rejected_by_owner'])('is found %s in history, and forgotten', async (status) => {
    await leaveOpen(success(SUBMITTED, 202));
    nowMs += 23 * HOUR_MS + 1;
    service.script(record(status));
    const error = await thrown(opened().resume((await opened().pending())[0]!));
    expect(error).toBeInstanceOf(ExpiredKeyError);
    expect(error).toMatchObject({ transaction: { id: ID, status }, operation: { transactionId: ID } });
    // Forgotten after its caller had the record.
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect([seen(), await store.list()]).toEqual([[READ], []]);
  });

  it.each(['submitted', 'awaiting_approval'])('goes on with its key while it is %s in history', async (status) => {
    const key = await leaveOpen(success(SUBMITTED, 202));
    nowMs += 100 * HOUR_MS;
    service.script(record(status), success(DONE));
    expect(await opened().transfer(ORDER)).toEqual(DONE);
    expect(seen()).toEqual([READ, PAY]);
    expect(service.seen[1]!.headers['idempotency-key']).toBe(key);
  });

  it.each([
    ['has no record', failure(404, { code: 'NOT_FOUND', retry: 'never' }), ExpiredKeyError],
    ['may not be read', failure(403, { code: 'INSUFFICIENT_SCOPE', retry: 'never' }), ExpiredKeyError],
    ['does not answer', silence, OutcomeUnknownError],
    ['is not ready', failure(503, { code: 'SERVICE_UNAVAILABLE', retry: 'same_key' }), OutcomeUnknownError],
  ])('is neither sent nor forgotten where history %s', async (_, reply, kind) => {
    await leaveOpen(success(SUBMITTED, 202));
    nowMs += 24 * HOUR_MS;
    service.script(reply);
    expect(await thrown(opened().transfer(ORDER))).toBeInstanceOf(kind);
    expect([seen(), (await store.list()).length]).toEqual([[READ], 1]);
  });

  it('is not repeated by a process that slept a day between two attempts', async () => {
    service.script((response, request) => {
      nowMs += 24 * HOUR_MS;
      cut(response, request);
    });
    const wallet = new AgentWallet(
      { baseUrl: service.url, store, retryForMs: 5_000, nowMs: () => nowMs },
      tokenOf('agent'),
    );
    expect(await thrown(wallet.transfer(ORDER))).toBeInstanceOf(OutcomeUnknownError);
    expect(seen()).toEqual([PAY]);
  });
});
