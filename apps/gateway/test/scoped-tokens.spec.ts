import type { policyV1 } from '@agent-wallet/contracts';
import { AppError, newId, TOKEN_SCOPES, type TokenScope } from '@agent-wallet/kernel';
import { JwtService } from '@nestjs/jwt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { scopeOf } from '../src/api/route.js';
import { ROUTES } from '../src/api/routes.js';
import type { Client, Reply } from './client.js';
import { DEFAULT_POLICY } from './default-script.js';
import { expectFailure } from './expect-failure.js';
import { claimsOf } from './issued-tokens.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const UNKNOWN = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';
const TRANSFER = { to: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', amount: 1, mint: 'USDC' };

let world: World;
let replica: string;
/** Requests about tokens that policy got, in order. */
let asked: Array<{ readonly method: string; readonly request: Record<string, unknown> }>;

beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  replica = (await world.start()).url;
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  asked = [];
  const { tokens } = world.script;
  for (const method of ['openToken', 'endToken', 'listTokens', 'bindOperation'] as const) {
    const answer = tokens[method] as (request: unknown) => Promise<never>;
    tokens[method] = async (request: unknown) => {
      asked.push({ method, request: request as Record<string, unknown> });
      return answer(request);
    };
  }
});

const requests = (method: string) => asked.flatMap((each) => (each.method === method ? [each.request] : []));

type Agent = Awaited<ReturnType<World['login']>>;

interface Opened {
  readonly client: Client;
  readonly tokenId: string;
  readonly reply: Reply;
}

async function open(agent: Agent, scopes: readonly TokenScope[], limits: object = {}): Promise<Opened> {
  const reply = await agent.client.post('/wallets/me/tokens', { name: 'A bot', scopes, ...limits });
  expect(reply.status).toBe(200);
  const { token, sessionToken } = reply.body.data as { token: { id: string }; sessionToken: string };
  return { client: agent.client.as(sessionToken), tokenId: token.id, reply };
}

describe('opening a scoped token', () => {
  it('answers the token once, whose claims name it and its scopes', async () => {
    const agent = await world.login();
    const limits = { maxSingleInUsd: 20, dailyLimitInUsd: 50.5, recipients: [TRANSFER.to], expiresInHours: 24 };
    const { tokenId, reply } = await open(agent, ['read', 'transfer'], limits);
    expect(reply.body.data.token).toMatchObject({
      ...{ id: tokenId, name: 'A bot', scopes: ['read', 'transfer'], recipients: [TRANSFER.to] },
      ...{ maxSingleInUsd: 20, dailyLimitInUsd: 50.5, totalLimitInUsd: null, usedUsd: 0 },
    });
    const claims = claimsOf(reply.body.data.sessionToken as string);
    expect(claims).toMatchObject({ sub: agent.agentId, tid: tokenId, scope: 'read transfer' });
    const { expiresAtMs } = (requests('openToken')[0] as unknown as policyV1.OpenTokenRequest).grant!;
    expect(Number(expiresAtMs)).toBe((claims.exp as number) * 1_000);
    expect(Math.abs(Number(expiresAtMs) - world.clock.nowMs() - 24 * 3_600_000)).toBeLessThan(60_000);
  });

  it.each<[string, object]>([
    ['no name', { scopes: ['read'] }],
    ['no scope', { name: 'A bot', scopes: [] }],
    ['an unknown scope', { name: 'A bot', scopes: ['everything'] }],
    ['a scope twice', { name: 'A bot', scopes: ['read', 'read'] }],
    ['no recipient', { name: 'A bot', scopes: ['read'], recipients: [] }],
    ['a negative limit', { name: 'A bot', scopes: ['read'], totalLimitInUsd: -1 }],
    ['more than a year', { name: 'A bot', scopes: ['read'], expiresInHours: 8761 }],
    ['another field', { name: 'A bot', scopes: ['read'], isRoot: true }],
  ])('is refused with %s', async (_, body) => {
    const { client } = await world.login();
    expectFailure(await client.post('/wallets/me/tokens', body), 400, 'VALIDATION_ERROR');
    expect(asked).toEqual([]);
  });

  it('ends no later than sessions of the policy, chosen or not', async () => {
    const { client } = await world.login();
    world.script.policy.getPolicy = async () => ({ policy: { ...DEFAULT_POLICY, sessionExpirationHours: 2 } });
    const open = (more: object) => client.post('/wallets/me/tokens', { name: 'A bot', scopes: ['read'], ...more });
    const refused = await open({ expiresInHours: 3 });
    expectFailure(refused, 400, 'VALIDATION_ERROR');
    expect(refused.body.data.details).toMatchObject([{ field: 'expiresInHours', problem: 'out_of_range' }]);
    expect(asked).toEqual([]);
    for (const { body } of [await open({ expiresInHours: 2 }), await open({})]) {
      const { exp, iat } = claimsOf(body.data.sessionToken as string) as { readonly exp: number; readonly iat: number };
      expect(exp - iat).toBeGreaterThan(7_190);
      expect(exp - iat).toBeLessThanOrEqual(7_200);
    }
  });

  it('is refused beyond the time that the code of its session proves', async () => {
    const { client } = await world.login();
    world.script.policy.getPolicy = async () => ({ policy: { ...DEFAULT_POLICY, sessionExpirationHours: 8_760 } });
    const open = (expiresInHours: number) =>
      client.post('/wallets/me/tokens', { name: 'A bot', scopes: ['read'], expiresInHours });
    const refused = await open(2_161);
    expectFailure(refused, 400, 'VALIDATION_ERROR');
    expect(refused.body.data.details).toMatchObject([{ field: 'expiresInHours', problem: 'out_of_range' }]);
    expect(asked).toEqual([]);
    expect((await open(2_159)).status).toBe(200);
  });

  it('is refused to a session that ends meanwhile, and the token is ended', async () => {
    const agent = await world.login();
    const openToken = world.script.tokens.openToken;
    world.script.tokens.openToken = async (request) => {
      await agent.client.post('/connect/logout');
      return openToken(request);
    };
    const reply = await agent.client.post('/wallets/me/tokens', { name: 'A bot', scopes: ['read'] });
    expectFailure(reply, 401, 'AUTHENTICATION_ERROR');
    expect(requests('endToken')).toHaveLength(1);
  });
});

describe('the scope of a route', () => {
  const agents = ROUTES.filter(({ auth }) => auth === 'bearer');

  it.each(agents.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'of %s is checked at the door',
    async (_, route) => {
      const agent = await world.login();
      const needed = scopeOf(route);
      const url = route.path.replace(/\{\w+\}/g, UNKNOWN);
      const call = (client: Client) => client.call(route.method, url, route.body ? { body: {} } : {});
      const enough = TOKEN_SCOPES.filter((scope) => scope === needed || needed === 'any');
      const others = TOKEN_SCOPES.filter((scope) => !enough.includes(scope));
      if (others.length > 0) {
        const { client } = await open(agent, others);
        const refused = await call(client);
        expectFailure(refused, 403, 'INSUFFICIENT_SCOPE');
        expect(refused.body.data.scope).toBe(needed === 'session' ? null : needed);
      }
      if (enough.length === 0) return;
      const { client } = await open(agent, [enough[0]!]);
      if (route.plain) return;
      expect((await call(client)).body.data?.code).not.toBe('INSUFFICIENT_SCOPE');
    },
  );

  it('is `session` where nothing else is said and something changes', () => {
    const unsaid = agents.filter(({ scope, method }) => scope === undefined && method !== 'GET').map(({ id }) => id);
    expect(unsaid).toEqual(['refreshSession', 'endSessionById', 'updatePolicy']);
  });
});

describe('a request of a scoped token', () => {
  it('has policy know whose operation it is, before it begins and at each repeat', async () => {
    const agent = await world.login();
    const { client, tokenId } = await open(agent, ['transfer']);
    const order: string[] = [];
    const { bindOperation } = world.script.tokens;
    const { transfer } = world.script.wallet;
    world.script.tokens.bindOperation = async (request) => {
      order.push(`bind ${request.operationId}`);
      return bindOperation(request);
    };
    world.script.wallet.transfer = async (request) => {
      order.push(`transfer ${request.operationId}`);
      return transfer(request);
    };
    const sent = await client.transfer(TRANSFER, 'one');
    expect(sent.status).toBe(200);
    const id = sent.body.data.transactionId as string;
    expect(order).toEqual([`bind ${id}`, `transfer ${id}`]);
    expect(requests('bindOperation')).toEqual([{ agentId: agent.agentId, tokenId, operationId: id }]);
  });

  it('moves nothing while policy does not know, and leaves its key free', async () => {
    const { client } = await open(await world.login(), ['transfer']);
    const { bindOperation } = world.script.tokens;
    let transfers = 0;
    const { transfer } = world.script.wallet;
    world.script.wallet.transfer = async (request) => {
      transfers += 1;
      return transfer(request);
    };
    world.script.tokens.bindOperation = async () => {
      throw new AppError('SERVICE_UNAVAILABLE');
    };
    expectFailure(await client.transfer(TRANSFER, 'two'), 503, 'SERVICE_UNAVAILABLE');
    expect(transfers).toBe(0);
    world.script.tokens.bindOperation = bindOperation;
    expect((await client.transfer(TRANSFER, 'two')).status).toBe(200);
    expect(transfers).toBe(1);
  });

  it('does not share its keys with other tokens, or with the agent', async () => {
    const agent = await world.login();
    const [one, other] = [await open(agent, ['transfer']), await open(agent, ['transfer'])];
    expect((await one.client.transfer(TRANSFER, 'three')).status).toBe(200);
    for (const { client } of [other, agent]) {
      const reply = await client.transfer(TRANSFER, 'three');
      expectFailure(reply, 422, 'IDEMPOTENCY_MISMATCH');
    }
    expect((await one.client.transfer(TRANSFER, 'three')).status).toBe(200);
  });

  it('of a login binds nothing', async () => {
    const { client } = await world.login();
    expect((await client.transfer(TRANSFER, 'four')).status).toBe(200);
    expect(requests('bindOperation')).toEqual([]);
  });

  it('is refused with claims that do not read as those of a token: none passes without its limits', async () => {
    const agent = await world.login();
    const { reply } = await open(agent, ['read']);
    const claims = claimsOf(reply.body.data.sessionToken as string);
    for (const change of [
      { tid: undefined },
      { scope: undefined },
      { scope: 'read everything' },
      { tid: 'x' },
      { scope: '' },
    ]) {
      const altered = sign({ ...claims, ...change });
      expectFailure(await agent.client.as(altered).get('/wallets/me'), 401, 'AUTHENTICATION_ERROR');
    }
    expect((await agent.client.as(sign(claims)).get('/wallets/me')).status).toBe(200);
  });
});

/** Signs claims as the gateway does, with its own key. */
function sign(claims: Record<string, unknown>): string {
  const { keysPath } = world.settings.jwt;
  const kid = '2026-01';
  const privateKey = readFileSync(path.join(keysPath, `${kid}.pem`), 'utf8');
  const payload = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return new JwtService().sign(payload, { algorithm: 'ES256', keyid: kid, privateKey });
}

describe('ending a scoped token', () => {
  const isRefused = async (client: Client) => {
    for (const each of [client, client.at(replica)]) {
      expectFailure(await each.post('/connect/validate'), 401, 'AUTHENTICATION_ERROR');
    }
  };

  it('ends it at every replica, and not its siblings', async () => {
    const agent = await world.login();
    const [one, other] = [await open(agent, ['read']), await open(agent, ['read'])];
    const ended = await agent.client.delete(`/wallets/me/tokens/${one.tokenId}`);
    expect(ended.body.data).toEqual({ ended: true });
    expect(requests('endToken')).toEqual([{ agentId: agent.agentId, tokenId: one.tokenId }]);
    await isRefused(one.client);
    expect((await other.client.post('/connect/validate')).status).toBe(200);
  });

  it('is what a logout with it does, and a logout of the login that opened it', async () => {
    const agent = await world.login();
    const [one, other] = [await open(agent, ['read']), await open(agent, ['read'])];
    expect((await one.client.post('/connect/logout')).status).toBe(200);
    await isRefused(one.client);
    expect((await other.client.post('/connect/validate')).status).toBe(200);
    expect((await agent.client.post('/connect/logout')).status).toBe(200);
    await isRefused(other.client);
    expect(requests('endToken').map(({ tokenId }) => tokenId)).toEqual([one.tokenId, other.tokenId]);
  });

  it('comes with the end of the session that has opened it', async () => {
    const agent = await world.login();
    const { client, tokenId } = await open(agent, ['read']);
    world.clock.aheadMs += 2_000;
    const later = agent.client.as(await world.tokenFor(agent.email, agent.client));
    const kept = await open({ ...agent, client: later }, ['read']);
    const { sessions } = (await later.get('/connect/sessions')).body.data as {
      sessions: Array<{ id: string; current: boolean }>;
    };
    expect(sessions).toHaveLength(2);
    const first = sessions.find(({ current }) => !current)!;
    expect((await later.delete(`/connect/sessions/${first.id}`)).status).toBe(200);
    expect(requests('endToken')).toEqual([{ agentId: agent.agentId, tokenId }]);
    await isRefused(client);
    expect((await kept.client.post('/connect/validate')).status).toBe(200);
  });

  it('does not come with the expiry of the session that has opened it', async () => {
    const agent = await world.login();
    world.clock.aheadMs += 3_600_000;
    const { client } = await open(agent, ['read']);
    world.clock.aheadMs += (DEFAULT_POLICY.sessionExpirationHours - 0.5) * 3_600_000;
    await isRefused(agent.client);
    expect((await client.post('/connect/validate')).status).toBe(200);
    world.clock.aheadMs += 3_600_000;
    await isRefused(client);
  });

  it('comes with an eviction, of which policy learns', async () => {
    const agent = await world.login();
    const { client, tokenId } = await open(agent, ['read']);
    const reported: policyV1.VoidOperationsRequest[] = [];
    world.script.owners.voidOperations = async (request) => {
      reported.push(request);
      return { voided: 0 };
    };
    const started = await world.client.post('/connect/start', { email: agent.email, purpose: 'evict' });
    const code = { otpId: started.body.data.otpId as string, otpCode: world.inbox.lastCode(agent.email) };
    expect((await world.client.post('/connect/evict', { email: agent.email, ...code })).body.data).toEqual({
      ended: 2,
    });
    expect(reported).toMatchObject([{ agentId: agent.agentId, endedTokenIds: [tokenId] }]);
    await isRefused(client);
  });

  it('is answered 404 for one that is not the agent’s, or no id', async () => {
    const { client } = await world.login();
    world.script.tokens.endToken = async () => {
      throw new AppError('NOT_FOUND', { data: { resource: 'token' } });
    };
    for (const id of [newId(), 'nothing']) {
      expectFailure(await client.delete(`/wallets/me/tokens/${id}`), 404, 'NOT_FOUND');
    }
  });
});
