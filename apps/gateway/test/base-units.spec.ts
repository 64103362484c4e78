import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ROUTES } from '../src/api/routes.js';
import type { Client } from './client.js';
import { RECIPIENT } from './default-script.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

/** Largest amount of a token: a u64. */
const MAX = 18_446_744_073_709_551_615n;

/** Every field of a body that is base units, by its route. */
const FIELDS = ROUTES.flatMap(({ path, body }) => {
  const shape = body instanceof z.ZodObject ? (body.shape as Record<string, z.ZodType>) : {};
  return Object.entries(shape)
    .filter(([name]) => name.endsWith('Raw'))
    .map(([name, field]): [string, z.ZodType] => [`${path} ${name}`, field]);
});

describe.each(FIELDS)('%s', (_, field) => {
  it.each([1n, 9_999_999_999_999_999_999n, 10_000_000_000_000_000_000n, 2n ** 63n, MAX - 1n, MAX])(
    'takes %d base units',
    (amount) => {
      expect(field.parse(amount.toString())).toBe(amount.toString());
    },
  );

  it.each([MAX + 1n, 10n ** 20n, 10n ** 5_000n])('refuses more than a u64 by its limit', (amount) => {
    expect(field.safeParse(amount.toString()).error?.issues).toMatchObject([
      { message: `must be at most ${MAX}`, params: { problem: 'out_of_range' } },
    ]);
  });

  it.each(['', '0', '007', '-1', '1.0', '1e3', ' 1', '٣', '0x1'])('refuses %j', (text) => {
    expect(field.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      'must be digits in a text, above 0 and without a leading zero',
    ]);
  });

  it('is described by a pattern that takes what it takes', () => {
    const { pattern } = z.toJSONSchema(field, { io: 'input' });
    const fits = ['1', `${MAX}`, '0', `${10n ** 20n}`].map((text) => new RegExp(pattern!).test(text));
    expect(fits).toEqual([true, true, false, false]);
  });
});

describe('the largest amount', () => {
  let world: World;
  let client: Client;
  beforeAll(async () => {
    world = await World.open({ rateLimits: GENEROUS });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.reset();
    ({ client } = await world.login());
  });

  it.each([
    ['wallet', 'dryRunTransfer', 'transfer', { to: RECIPIENT, amountRaw: `${MAX}` }],
    ['swap', 'dryRunTrade', 'trade', { from: 'USDC', to: 'SOL', amountRaw: `${MAX}` }],
    ['swap', 'dryRunAddLiquidity', 'liquidity/add', { pool: RECIPIENT, token: 'SOL', amountRaw: `${MAX}` }],
  ] as const)('reaches the %s service by %s to the digit', async (service, method, path, body) => {
    const asked: Array<{ readonly amountRaw?: bigint }> = [];
    const script = world.script[service] as unknown as Record<string, (request: object) => Promise<unknown>>;
    const answer = script[method]!;
    script[method] = async (request) => {
      asked.push(request);
      return answer(request);
    };
    const reply = await client.post(`/wallets/me/actions/${path}?dryRun=true`, body);
    expect(reply.status).toBe(200);
    expect(asked).toMatchObject([{ amountRaw: MAX }]);
  });
});
