import type { historyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { historyFacts, historyRecord, listed, RECIPIENT, SENT, SIGNATURE } from './default-script.js';
import { World } from './world.js';

const PATH = '/wallets/me/history/export';
const ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open();
  ({ client } = await world.login());
});
beforeEach(() => world.reset());
afterAll(() => world.close());

/** Serves pages of one record each, and keeps the requests. */
function serve(pageCount: number, record = historyRecord(ID)): historyV1.ListTransactionsRequest[] {
  const all: historyV1.ListTransactionsRequest[] = [];
  world.script.history.listTransactions = async (request) => {
    all.push(request);
    return { ...listed([record]), nextCursor: all.length < pageCount ? `after${all.length}` : '' };
  };
  return all;
}

describe('GET /wallets/me/history/export', () => {
  it('has all pages as JSON, with the filters of the list', async () => {
    const requests = serve(3);
    const { body, status } = await client.get(`${PATH}?action=transfer&status=confirmed&cursor=start`);
    expect([status, body.data.transactions.length, body.data.nextCursor]).toEqual([200, 3, null]);
    const each = {
      action: 'transfer',
      limit: 100,
      offset: 0,
      filter: expect.objectContaining({ status: 'confirmed' }),
    };
    expect(requests).toMatchObject(['start', 'after1', 'after2'].map((cursor) => ({ ...each, cursor })));
  });

  it('is CSV with the exact values, in which a memo cannot become a formula', async () => {
    const facts = historyFacts({ $case: 'transfer', value: { ...SENT, rentLamports: 0n, memo: '=1+1, "now"' } });
    serve(1, { ...historyRecord(ID), facts });
    const { headers, text } = await client.get(`${PATH}?format=csv`);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="history.csv"',
      'cache-control': 'no-store',
    });
    expect(headers['next-cursor']).toBeUndefined();
    const [names, row, end] = text.split('\r\n');
    expect(names).toBe(
      'createdAt,action,status,amount,asset,valueUsd,to,signature,id,mint,amountRaw,updatedAt,memo,ticker',
    );
    expect(row).toBe(
      `2025-11-21T10:00:00.000Z,transfer,confirmed,64.1,USDC,64.09359,${RECIPIENT},${SIGNATURE},${ID},` +
        `EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v,64100000,2025-11-21T10:00:01.000Z,"'=1+1, ""now""",`,
    );
    expect(end).toBe('');
  });

  it('is cut after 10 pages, and names the rest', async () => {
    const requests = serve(1_000);
    const { body } = await client.get(PATH);
    expect([body.data.transactions.length, body.data.nextCursor]).toEqual([10, 'after10']);
    requests.length = 0;
    const { headers } = await client.get(`${PATH}?format=csv`);
    expect(headers['next-cursor']).toBe('after10');
  });

  it.each([
    ['format=xlsx', 'format'],
    ['status=dropped', 'status'],
    ['limit=5', 'limit'],
  ])('refuses ?%s', async (query, field) => {
    const answer = await client.get(`${PATH}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });
});
