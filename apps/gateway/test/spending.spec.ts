import { historyV1 } from '@agent-wallet/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { World } from './world.js';

const { SpendingGrouping } = historyV1;
const DAY_MS = 86_400_000n;

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open();
  ({ client } = await world.login());
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const NOTHING: historyV1.SumSpendingResponse = {
  groups: [],
  other: undefined,
  totalUsdMicros: 0n,
  unknownValueCount: 0n,
};

/** Keeps the requests to history. */
function requests(response = NOTHING): historyV1.SumSpendingRequest[] {
  const all: historyV1.SumSpendingRequest[] = [];
  world.script.history.sumSpending = async (request) => {
    all.push(request);
    return response;
  };
  return all;
}

describe('GET /wallets/me/spending', () => {
  it('shows sums and groups, and all further ones as the last', async () => {
    const group = (key: string, usdMicros: bigint, count: bigint) => ({ key, usdMicros, count });
    const groups = [group('alice', 64_093_590n, 3n), group('', 1n, 1n)];
    const all = requests({ groups, other: group('', 0n, 7n), totalUsdMicros: 64_093_591n, unknownValueCount: 7n });
    const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' };
    const { body } = await client.get(`/wallets/me/spending?from=${range.from}&to=${range.to}&by=recipient`);
    expect(body.data).toEqual({
      ...range,
      by: 'recipient',
      totalUsd: 64.093591,
      unknownValueCount: 7,
      groups: [
        { key: 'alice', usd: 64.09359, count: 3 },
        { key: null, usd: 0.000001, count: 1 },
        { key: 'other', usd: 0, count: 7 },
      ],
    });
    const [fromMs, toMs] = [BigInt(Date.parse(range.from)), BigInt(Date.parse(range.to))];
    expect(all).toMatchObject([{ fromMs, toMs, by: SpendingGrouping.SPENDING_GROUPING_RECIPIENT }]);
  });

  it('is of the 30 days before the end, by day, without from and by', async () => {
    const all = requests();
    await client.get('/wallets/me/spending?to=2026-11-21T10:02:00Z');
    await client.get('/wallets/me/spending');
    expect(all.map(({ fromMs, toMs, by }) => [toMs - fromMs, by])).toEqual([
      [30n * DAY_MS, SpendingGrouping.SPENDING_GROUPING_UNSPECIFIED],
      [30n * DAY_MS, SpendingGrouping.SPENDING_GROUPING_UNSPECIFIED],
    ]);
    expect(all[0]!.toMs).toBe(BigInt(Date.parse('2026-11-21T10:02:00Z')));
  });

  it.each([
    ['by=week', 'by'],
    ['from=2026-11-21', 'from'],
    ['from=9999-01-01T00:00:00Z', 'from'],
    ['from=2026-11-21T00:00:00Z&to=2026-11-21T00:00:00Z', 'to'],
    ['from=2025-11-21T00:00:00Z&to=2026-11-22T00:00:00.001Z', 'from'],
  ])('refuses ?%s', async (query, field) => {
    const all = requests();
    const answer = await client.get(`/wallets/me/spending?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
    expect(all).toEqual([]);
  });
});
