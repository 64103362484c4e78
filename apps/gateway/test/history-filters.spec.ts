import type { historyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { listed, RECIPIENT } from './default-script.js';
import { World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open();
  ({ client } = await world.login());
});
beforeEach(() => world.reset());
afterAll(() => world.close());

describe('GET /wallets/me/history', () => {
  it('passes the filter on, with and without cursor, and says when total is not exact', async () => {
    const asked: historyV1.ListTransactionsRequest[] = [];
    world.script.history.listTransactions = async (request) => {
      asked.push(request);
      return { ...listed([]), isTotalPartial: true };
    };
    const filters = `from=2026-11-21T10:02:00Z&to=2026-11-21T10:02:00.5Z&status=cancelled&recipient=${RECIPIENT}&search=Rent+May`;
    for (const page of ['', '&cursor=next', '&offset=3']) {
      const { body } = await client.get(`/wallets/me/history?${filters}${page}`);
      expect(body.data.pagination.totalIsExact).toBe(false);
    }
    const [fromMs, toMs] = [1_795_255_320_000n, 1_795_255_320_500n];
    const filter = { fromMs, toMs, status: 'cancelled', recipient: RECIPIENT, search: 'Rent May' };
    expect(asked.map((request) => request.filter)).toEqual([filter, filter, filter]);
    await client.get('/wallets/me/history?action=trade');
    expect(asked.at(-1)?.filter).toBeUndefined();
  });

  it.each([
    ['from=2026-11-21', 'from'],
    ['to=2026-11-21T10:00:00%2B01:00', 'to'],
    ['to=2026-13-21T10:00:00Z', 'to'],
    ['from=2026-11-21T10:00:00Z&to=2026-11-21T10:00:00.000Z', 'to'],
    ['status=dropped', 'status'],
    ['recipient=alice', 'recipient'],
    [`search=${'x'.repeat(65)}`, 'search'],
    ['order=recorded&search=rent', 'search'],
    ['order=recorded&status=failed', 'status'],
  ])('refuses ?%s', async (query, field) => {
    const answer = await client.get(`/wallets/me/history?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });
});
