import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { USDC, World } from './world.js';

const SOL = 'So11111111111111111111111111111111111111112';
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';

type Prices = Record<string, { usdPrice: number; blockId: number; decimals: number }>;

describe('the aggregator’s prices and tokens', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  const get = async (route: string): Promise<{ response: Response; text: string }> => {
    const response = await fetch(world.sandbox.aggregatorUrl + route);
    return { response, text: await response.text() };
  };
  const prices = async (...ids: string[]): Promise<Prices> =>
    JSON.parse((await get(`/price/v3?ids=${ids.join(',')}`)).text) as Prices;

  /**
   * Reads how old a price is, computed as a careful client does: by the chain's head before the call and after it. Its age at
   * the call is between the two, however long the calls take.
   */
  async function ageSeconds(mint: string): Promise<{ readonly least: number; readonly most: number }> {
    const before = await world.connection.getSlot();
    const { blockId } = (await prices(mint))[mint]!;
    const after = await world.connection.getSlot();
    const [from, to, at] = await Promise.all(
      [before, after, blockId].map((slot) => world.connection.getBlockTime(slot)),
    );
    return { least: from! - at!, most: to! - at! };
  }

  it('prices many mints in one call and leaves out what has no price', async () => {
    const unknown = Keypair.generate().publicKey.toBase58();
    const found = await prices(SOL, USDC.toBase58(), unknown);
    expect(Object.keys(found).sort()).toEqual([USDC.toBase58(), SOL].sort());
    expect(found[SOL]).toMatchObject({
      decimals: 9,
      priceChange24h: 0,
      createdAt: expect.any(String),
      liquidity: expect.any(Number),
    });
    expect(found[USDC.toBase58()]!.usdPrice).toBeCloseTo(1, 2);
  });

  it('names each request and the rate limit as the gateway does', async () => {
    const { response } = await get(`/price/v3?ids=${SOL}`);
    expect(response.headers.get('x-api-gateway-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(response.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    expect(Number(response.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
    const refused = await get('/price/v3');
    expect(refused.response.status).toBe(400);
    expect(refused.response.headers.get('x-api-gateway-request-id')).not.toBeNull();
    expect(refused.response.headers.get('x-ratelimit-remaining')).toBeNull();
  });

  it('takes 50 ids and not 51', async () => {
    expect((await get(`/price/v3?ids=${Array(50).fill(SOL).join(',')}`)).response.status).toBe(200);
    expect((await get(`/price/v3?ids=${Array(51).fill(SOL).join(',')}`)).response.status).toBe(400);
    expect((await get('/price/v3?ids=nonsense')).response.status).toBe(400);
  });

  it('walks in small steps until it is frozen, and then moves only when set', async () => {
    const usd = async (): Promise<number> => (await prices(SOL))[SOL]!.usdPrice;
    const [before] = [await usd()];
    await world.admin('POST', '/clock', { advanceSeconds: 300 });
    const after = await usd();
    expect(after).not.toBe(before);
    expect(Math.abs(after / before - 1)).toBeLessThan(0.05);
    await world.admin('POST', '/prices', { freeze: true });
    const frozen = await usd();
    await world.admin('POST', '/clock', { advanceSeconds: 300 });
    expect(await usd()).toBe(frozen);
    await world.admin('POST', '/prices', { token: 'SOL', usd: 123.45 });
    expect(await usd()).toBe(123.45);
    await world.admin('POST', '/prices', { freeze: false });
    expect(Math.abs((await usd()) / 123.45 - 1)).toBeLessThan(0.01);
    await world.admin('POST', '/prices', { freeze: true });
  });

  it('is fresh, walking or frozen', async () => {
    expect((await ageSeconds(SOL)).least).toBeLessThanOrEqual(1);
    expect((await ageSeconds(JUP)).least).toBeLessThanOrEqual(1);
  });

  it.each([1, 59, 61, 86_400])('is %i seconds old when it is aged, and stays so', async (age) => {
    await world.admin('POST', '/prices', { token: 'JUP', ageSeconds: age });
    const { least, most } = await ageSeconds(JUP);
    expect(most).toBeGreaterThanOrEqual(age - 1);
    expect(least).toBeLessThanOrEqual(age + 1);
    await world.admin('POST', '/prices', { token: 'JUP', usd: 0.5 });
    expect((await ageSeconds(JUP)).least).toBeLessThanOrEqual(1);
  });

  it('removes a price and takes it back', async () => {
    await world.admin('POST', '/prices', { token: JUP, usd: null });
    expect(await prices(JUP)).toEqual({});
    expect((await world.admin('POST', '/prices', { token: 'JUP', ageSeconds: 5 })).status).toBe(400);
    await world.admin('POST', '/prices', { token: JUP, usd: '0.123456789012345678' });
    expect((await get(`/price/v3?ids=${JUP}`)).text).toContain('"usdPrice":0.123456789012345678,');
  });

  it.each(['0', '-1', '1e400', '"1.5"', 'null', '{"usd":1}'])(
    'show %s in a price’s place when an admin sets it',
    async (usdRaw) => {
      expect((await world.admin('POST', '/prices', { token: 'JUP', usdRaw })).status).toBe(200);
      expect((await get(`/price/v3?ids=${JUP}`)).text).toContain(`"usdPrice":${usdRaw},`);
    },
  );

  it.each([
    [{ token: 'GOLD', usd: 1 }, 'unknown token'],
    [{ token: 'JUP' }, 'required'],
    [{ token: 'JUP', usd: 'dear' }, 'usd'],
    [{ token: 'JUP', usdRaw: '{' }, 'usdRaw'],
    [{ token: 'JUP', ageSeconds: -1 }, ''],
    [{ freeze: 'yes' }, ''],
  ])('refuses %j', async (order, reason) => {
    const { status, body } = await world.admin('POST', '/prices', order);
    expect(status).toBe(400);
    expect(body['error']).toContain(reason);
  });

  it('finds tokens by symbol, by name and by mints, on both paths', async () => {
    for (const path of ['/tokens/v2/search', '/ultra/v1/search']) {
      const search = async (query: string): Promise<Array<{ symbol: string }>> =>
        JSON.parse((await get(`${path}?query=${query}`)).text) as never;
      expect((await search('bonk')).map((t) => t.symbol)).toEqual(['BONK']);
      expect((await search('Jupiter')).map((t) => t.symbol)).toEqual(['JUP']);
      expect((await search(`${SOL},${USDC.toBase58()}`)).map((t) => t.symbol)).toEqual(['SOL', 'USDC']);
      expect(await search('nothing')).toEqual([]);
      expect((await get(path)).response.status).toBe(400);
    }
    const [usdc] = JSON.parse((await get(`/tokens/v2/search?query=${USDC.toBase58()}`)).text) as [
      Record<string, unknown>,
    ];
    expect(usdc).toMatchObject({
      id: USDC.toBase58(),
      name: 'USD Coin',
      decimals: 6,
      isVerified: true,
      tags: ['verified'],
    });
  });

  it('warns of tokens that cannot be trusted', async () => {
    const order = {
      symbol: 'BAD',
      decimals: 2,
      program: 'token-2022',
      extensions: ['permanentDelegate'],
      transferFeeBps: 500,
    };
    const { body } = await world.admin('POST', '/mints', order);
    const { warnings } = JSON.parse((await get(`/ultra/v1/shield?mints=${body['mint']},${USDC.toBase58()}`)).text) as {
      warnings: Record<string, Array<{ type: string; severity: string }>>;
    };
    const types = warnings[body['mint']!]!.map((w) => w.type);
    expect(types).toEqual(
      expect.arrayContaining(['NOT_VERIFIED', 'HAS_PERMANENT_DELEGATE', '5%_TRANSFER_FEES', 'HAS_MINT_AUTHORITY']),
    );
    expect(warnings[USDC.toBase58()]!.map((w) => w.type)).not.toContain('NOT_VERIFIED');
  });

  it('fails when a fault names its path', async () => {
    await world.arm('error429', {}, 'aggregator');
    expect((await get(`/price/v3?ids=${SOL}`)).response.status).toBe(200);
    await world.arm('error429', { match: { path: '/price/v3' } }, 'aggregator');
    await world.arm('error500', { match: { path: '/price/v3' } }, 'aggregator');
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await get(`/price/v3?ids=${SOL}`)).response.status);
    expect(statuses).toEqual([429, 500, 200]);
  });
});
