import { walletV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { eventually } from '@agent-wallet/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JwtService } from '@nestjs/jwt';
import type { Client as McpClient } from '@modelcontextprotocol/client';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CONFIRMED, SUBMITTED } from './default-script.js';
import { claimsOf } from './issued-tokens.js';
import { callMcp, connectMcp, ERAS, type HostOptions } from './mcp-client.js';
import { ORIGIN } from './owner-console.js';
import { ScriptedLog } from './scripted-log.js';
import { GENEROUS, walletDoes } from './wallet-script.js';
import { World } from './world.js';

const TRANSFER = { to: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', amount: '1.5', mint: 'USDC' };
const MODERN = '2026-07-28';

let world: World;
let log: ScriptedLog;
const hosts: McpClient[] = [];

beforeAll(async () => {
  const timing = { followEveryMs: 10, reviewStreamsEveryMs: 50 };
  world = await World.open({ rateLimits: GENEROUS, ownerOrigin: ORIGIN, hasOwnerConsole: true }, timing);
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  log = new ScriptedLog();
  Object.assign(world.script.history, log.script);
});
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

async function connect(
  token: string,
  options: HostOptions = {},
  era: 'legacy' | 'modern' = 'modern',
): Promise<McpClient> {
  const host = await connectMcp(world.client.url, token, era, options);
  hosts.push(host);
  return host;
}

describe('a payment that the owner must approve', () => {
  const approvalId = newId();
  const approvalUrl = `${ORIGIN}/approvals/${approvalId}`;
  const opensPages = { elicitation: { url: {} } };
  let isApproved: boolean;
  let asked: walletV1.TransferRequest[];
  let agent: Awaited<ReturnType<World['login']>>;

  beforeEach(async () => {
    agent = await world.login();
    isApproved = false;
    const state = walletV1.OperationState.OPERATION_STATE_AWAITING_APPROVAL;
    const approval = { approvalId, expiresAtMs: 1_763_805_600_000n, reasons: ['above_amount'] };
    asked = walletDoes(world, [agent.agentId], async () =>
      isApproved ? CONFIRMED : { ...SUBMITTED, state, approval },
    );
  });

  const prepared = async (host: McpClient) =>
    (await callMcp(host, 'prepare_transfer', TRANSFER)).data as { handle: string };

  it.each(ERAS)(
    'points a %s host that opens no pages to the console, and continues by the same handle',
    async (era) => {
      const host = await connect(agent.token, {}, era);
      const { handle } = await prepared(host);
      const waiting = await callMcp(host, 'execute', { handle });
      expect(waiting.data).toMatchObject({
        status: 'awaiting_approval',
        approvalUrl,
        next: expect.stringContaining('owner'),
      });
      isApproved = true;
      expect((await callMcp(host, 'execute', { handle })).data).toMatchObject({ status: 'confirmed' });
      expect(new Set(asked.map(({ operationId }) => operationId)).size).toBe(1);
    },
  );

  it.each(['accept', 'decline', 'cancel'] as const)('is not approved by a host that answers %s', async (action) => {
    const host = await connect(agent.token, { capabilities: opensPages });
    const shown: unknown[] = [];
    host.setRequestHandler('elicitation/create', ({ params }) => {
      shown.push(params);
      // The owner decides in the console; without that, the answer of the host changes nothing.
      isApproved = action === 'accept';
      return { action };
    });
    const { handle } = await prepared(host);
    const { data } = await callMcp(host, 'execute', { handle });
    expect(shown).toMatchObject([{ mode: 'url', url: approvalUrl }]);
    expect(data.status).toBe(action === 'accept' ? 'confirmed' : 'awaiting_approval');
  });

  it('gives no state to a host, and takes none', async () => {
    const host = await connect(agent.token);
    const { handle } = await prepared(host);
    const params = { name: 'execute', arguments: { handle }, requestState: 'forged', inputResponses: {} };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const reply = await agent.client.post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } },
      {
        ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': MODERN },
        ...{ 'mcp-method': 'tools/call', 'mcp-name': 'execute' },
      },
    );
    expect(reply.body.error).toMatchObject({ code: -32_602 });
    expect(asked).toEqual([]);
  });
});

describe('resources', () => {
  it.each(ERAS)('show a %s host policy, usage and skill', async (era) => {
    const { token } = await world.login();
    const host = await connect(token, {}, era);
    const { resources } = await host.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      ['policy', 'usage', 'balances', 'history', 'approvals', 'skill'].map((name) => `wallet://${name}`),
    );
    const read = async (uri: string) => {
      const [content] = (await host.readResource({ uri })).contents;
      return (content as { readonly text: string }).text;
    };
    expect(JSON.parse(await read('wallet://policy'))).toHaveProperty('policy.dailyLimitInUsd');
    expect(JSON.parse(await read('wallet://usage'))).toHaveProperty('maxAllowedNowUsd');
    expect(await read('wallet://skill')).toContain('# ');
    await expect(read('wallet://secrets')).rejects.toMatchObject({ code: -32_602 });
    await expect(read(`wallet://transactions/${newId()}`)).rejects.toMatchObject({ code: -32_602 });
  });

  it('are closed to a token without the scope read, except for what is public', async () => {
    const { client } = await world.login();
    const opened = await client.post('/wallets/me/tokens', { name: 'A bot', scopes: ['trade'] });
    const host = await connect(opened.body.data.sessionToken);
    expect((await host.listResources()).resources.map(({ uri }) => uri)).toEqual(['wallet://skill']);
    await expect(host.readResource({ uri: 'wallet://policy' })).rejects.toMatchObject({
      data: { code: 'INSUFFICIENT_SCOPE' },
    });
  });
});

describe('prompts', () => {
  it('are listed, and filled in with their arguments', async () => {
    const { token } = await world.login();
    const host = await connect(token);
    expect((await host.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'spending_report',
      'request_limit_change',
    ]);
    const given = { change: 'a daily limit of 900 dollars', reason: 'Rent is due.' };
    const { messages } = await host.getPrompt({ name: 'request_limit_change', arguments: given });
    expect(JSON.stringify(messages)).toContain('a daily limit of 900 dollars');
    await expect(host.getPrompt({ name: 'request_limit_change' })).rejects.toThrow(/change is required/);
  });
});

describe('a subscription', () => {
  const POLICY_CHANGED = { $case: 'policyChanged', value: { changes: [] } } as Parameters<ScriptedLog['append']>[1];

  async function follow(token: string, uris: readonly string[]): Promise<string[]> {
    const host = await connect(token);
    const updated: string[] = [];
    host.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params.uri));
    const { honoredFilter } = await host.listen({ resourceSubscriptions: [...uris] });
    expect(honoredFilter).toEqual({ resourceSubscriptions: uris });
    return updated;
  }

  it('names what to read again, of the own wallet alone', async () => {
    const [agent, stranger] = [await world.login(), await world.login()];
    const uris = ['wallet://policy', 'wallet://balances'];
    const [own, foreign] = [await follow(agent.token, uris), await follow(stranger.token, uris)];
    log.append(agent.agentId, POLICY_CHANGED);
    await eventually(() => own.length === 1);
    log.append(stranger.agentId, POLICY_CHANGED);
    await eventually(() => foreign.length === 1);
    expect([own, foreign]).toEqual([['wallet://policy'], ['wallet://policy']]);
  });

  it('needs the scope read', async () => {
    const { client } = await world.login();
    const opened = await client.post('/wallets/me/tokens', { name: 'A bot', scopes: ['transfer'] });
    const host = await connect(opened.body.data.sessionToken);
    await expect(host.listen({ resourceSubscriptions: ['wallet://policy'] })).rejects.toThrow(/does not allow/);
  });

  it('ends with its session', async () => {
    const { client, token } = await world.login();
    const host = await connect(token);
    const subscription = await host.listen({ resourceSubscriptions: ['wallet://policy'] });
    await client.post('/connect/logout', undefined);
    expect(await subscription.closed).toBe('graceful');
  });

  it('to nothing that changes ends at once', async () => {
    const { token } = await world.login();
    const host = await connect(token);
    const { honoredFilter } = await host.listen({ toolsListChanged: true });
    expect(honoredFilter).toEqual({});
  });
});

describe('a token of an app', () => {
  /** Signs the claims of a real scoped token with changes, as the gateway itself would. */
  async function signed(change: Record<string, unknown>): Promise<string> {
    const { client } = await world.login();
    const opened = await client.post('/wallets/me/tokens', { name: 'An app', scopes: ['read'] });
    const payload = {
      ...claimsOf(opened.body.data.sessionToken),
      client_id: 'https://app.example.com/client.json',
      ...change,
    };
    const privateKey = readFileSync(path.join(world.directory, 'keys', '2026-01.pem'), 'utf8');
    return new JwtService().sign(payload, { algorithm: 'ES256', keyid: '2026-01', privateKey });
  }
  const resource = () => `${world.client.url}/mcp`;
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const HEADERS = { accept: 'application/json, text/event-stream' };
  const ping = async (token: string) => (await world.client.as(token).post('/mcp', PING, HEADERS)).status;

  it('is good at the endpoint, and nowhere else', async () => {
    const token = await signed({ aud: resource() });
    expect(await ping(token)).toBe(200);
    expect((await world.client.as(token).get('/wallets/me/balances')).status).toBe(401);
    expect((await world.client.as(token).post('/connect/validate')).status).toBe(401);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['another resource', () => ({ aud: 'https://other.example.com/mcp' })],
    ['the endpoint and another resource', () => ({ aud: [resource(), 'https://other.example.com/mcp'] })],
    ['an address that begins like the endpoint', () => ({ aud: `${resource()}/more` })],
    ['no app', () => ({ aud: resource(), client_id: undefined })],
    ['no scoped token', () => ({ aud: resource(), tid: undefined, scope: undefined })],
  ])('is refused that is for %s', async (_, change) => {
    expect(await ping(await signed(change()))).toBe(401);
  });
});
