import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isServed, partOf, type RouteContract } from '../src/api/route.js';
import { agentRoutes, ownerRoutes, ROUTES } from '../src/api/routes.js';
import type { Client } from './client.js';
import { callMcp, connectMcp } from './mcp-client.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const PARTS = ['transfers'] as const;
/** Neither is called, nor needed. */
const ABSENT = { swapAddress: undefined, predictionAddress: undefined };

let world: World;
beforeAll(async () => {
  world = await World.open({ parts: PARTS, ...ABSENT, rateLimits: GENEROUS });
  await Promise.all([world.services.swap.kill(), world.services.prediction.kill()]);
});
afterAll(() => world.close());

const absent = ROUTES.filter((route) => !isServed(route, PARTS));
const ofAgents = absent.filter(({ auth }) => auth === 'bearer');
const pathOf = ({ path }: RouteContract) => path.replace(/\{\w+\}/g, 'x');

function call(client: Client, { method, path, ...rest }: RouteContract) {
  const at = pathOf({ path, ...rest, method });
  return method === 'GET' ? client.get(at) : client.post(at, {});
}

describe('a deployment with transfers alone', () => {
  it('names its parts, and is ready without the services of the others', async () => {
    const { status, body } = await world.client.get('/capabilities');
    expect([status, body.data]).toEqual([
      200,
      {
        network: 'devnet',
        realMoney: false,
        parts: { transfers: true, trading: false, liquidity: false, predictions: false },
      },
    ]);
    expect((await world.client.get('/readyz')).status).toBe(200);
  });

  it('lacks routes of each other part', () => {
    expect(new Set(absent.map(partOf))).toEqual(new Set(['trading', 'liquidity', 'predictions']));
    expect(ofAgents.length).toBeGreaterThan(20);
  });

  it.each(ofAgents)('answers $method $path with 501 and the name of the part', async (route) => {
    const { client } = await world.login();
    const { status, body } = await call(client, route);
    const capability = partOf(route);
    expect([status, body.data]).toMatchObject([501, { code: 'CAPABILITY_UNAVAILABLE', capability, retry: 'never' }]);
    expect(body.message).toBe(`This deployment has no ${capability}. GET /capabilities lists what it offers.`);
  });

  it('moves money', async () => {
    const { client } = await world.login();
    const order = { to: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', amount: 1.5, mint: 'USDC' };
    expect((await client.post('/wallets/me/actions/transfer', order)).status).toBe(200);
  });

  it('lists in its documents what it has, and nothing else', async () => {
    const read = async (path: string) => (await world.client.get(path)).text;
    for (const [path, routes] of [
      ['/openapi.json', agentRoutes(ROUTES)],
      ['/owner/openapi.json', ownerRoutes(ROUTES)],
    ] as const) {
      const { paths } = JSON.parse(await read(path)) as { readonly paths: object };
      const has = routes.filter((route) => isServed(route, PARTS)).map((route) => route.path);
      expect(Object.keys(paths).sort()).toEqual([...new Set(has)].sort());
    }
    for (const path of ['/skill.md', '/llms.txt']) {
      const text = await read(path);
      for (const word of ['/predictions/', '/liquidity/', 'actions/trade', 'pay 1 USD', 'provide liquidity'])
        expect([path, word, text.includes(word)]).toEqual([path, word, false]);
    }
  });

  it('offers the tools that it has, and names the part when another is called', async () => {
    const { token } = await world.login();
    const host = await connectMcp(world.client.url, token, 'modern');
    const names = (await host.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['prepare_transfer', 'execute', 'get_balances']));
    expect(names.filter((name) => /trade|market|position|liquidity|order/.test(name))).toEqual([]);
    const trade = await callMcp(host, 'prepare_trade', { from: 'USDC', to: 'SOL', amount: '1' });
    expect(trade).toMatchObject({ isError: true, data: { code: 'CAPABILITY_UNAVAILABLE', capability: 'trading' } });
  });
});
