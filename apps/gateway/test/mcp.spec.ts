import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client as McpClient } from '@modelcontextprotocol/client';
import { purgeExpired } from '../src/adapters/housekeeping.js';
import { callMcp, connectMcp, type Era, ERAS } from './mcp-client.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

const MINUTE_MS = 60_000;
const TO = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const TRANSFER = { to: TO, amount: '1.5', mint: 'USDC' };

let world: World;
let replica: string;
/** Operations that the wallet service was asked for. */
let asked: string[];

beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  replica = (await world.start()).url;
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.reset();
  asked = [];
  const { transfer } = world.script.wallet;
  world.script.wallet.transfer = async (request) => {
    asked.push(request.operationId);
    return transfer(request);
  };
});

/** Logs an agent in, and connects a host of it. */
async function agentOf(era: Era = 'modern') {
  const { client, token } = await world.login();
  return { client, token, host: await connectMcp(world.client.url, token, era) };
}

async function prepare(host: McpClient): Promise<string> {
  return (await callMcp(host, 'prepare_transfer', TRANSFER)).data.handle as string;
}

const UNKNOWN_HANDLE = { isError: true, data: { code: 'VALIDATION_ERROR', details: [{ field: 'handle' }] } };

describe.each(ERAS)('a host of the %s revision', (era) => {
  it('negotiates it, and lists tools with truthful hints', async () => {
    const { host } = await agentOf(era);
    expect(host.getProtocolEra()).toBe(era);
    const { tools } = await host.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['get_balances', 'prepare_transfer', 'execute']));
    expect(names).not.toContain('transfer');
    for (const { name, annotations, outputSchema, description } of tools) {
      const isRead = /^(get|list)_/.test(name);
      expect({ name, read: annotations?.readOnlyHint }).toEqual({ name, read: isRead });
      expect({ name, destroys: annotations?.destructiveHint }).toEqual({ name, destroys: name === 'execute' });
      expect(annotations?.idempotentHint).toBe(true);
      expect(typeof annotations?.openWorldHint).toBe('boolean');
      expect(outputSchema?.type).toBe('object');
      expect(description).not.toBe('');
    }
  });

  it('reads, with a structured result that fits its schema', async () => {
    const { host } = await agentOf(era);
    await host.listTools();
    const { isError, data } = await callMcp(host, 'get_balances');
    expect([isError, data.sol.decimals]).toEqual([false, 9]);
  });

  it('prepares without effect, and executes once however often it repeats', async () => {
    const { host } = await agentOf(era);
    const prepared = await callMcp(host, 'prepare_transfer', TRANSFER);
    expect(prepared).toMatchObject({ isError: false, data: { decision: 'allowed', preview: { status: 'dry_run' } } });
    expect(asked).toEqual([]);
    const { handle } = prepared.data;
    const first = await callMcp(host, 'execute', { handle });
    expect(first).toMatchObject({ isError: false, data: { status: 'confirmed' } });
    const again = await Promise.all([1, 2, 3].map(() => callMcp(host, 'execute', { handle })));
    expect(again).toEqual([first, first, first]);
    expect(new Set(asked).size).toBe(1);
  });

  it('gets a refusal that a model can act on', async () => {
    const { host } = await agentOf(era);
    const wrong = await callMcp(host, 'prepare_transfer', { ...TRANSFER, amount: 'lots' });
    expect(wrong).toMatchObject({ isError: true, data: { code: 'VALIDATION_ERROR', details: [{ field: 'amount' }] } });
    const unknown = await callMcp(host, 'execute', { handle: newId() });
    expect(unknown).toMatchObject({
      isError: true,
      data: { code: 'VALIDATION_ERROR', details: [{ field: 'handle' }] },
    });
    await expect(callMcp(host, 'transfer', TRANSFER)).rejects.toThrow(/Unknown tool/);
  });
});

describe('a handle', () => {
  it('executes at another replica, and repeats there', async () => {
    const { host, token } = await agentOf();
    const other = await connectMcp(replica, token, 'modern');
    const handle = await prepare(host);
    const results = await Promise.all([host, other, host, other].map((each) => callMcp(each, 'execute', { handle })));
    const last = await callMcp(other, 'execute', { handle });
    expect(last.data.status).toBe('confirmed');
    expect(new Set(asked)).toEqual(new Set([last.data.transactionId]));
    for (const { data } of results) expect([last.data.transactionId, undefined]).toContain(data.transactionId);
  });

  it('is unknown to every other principal', async () => {
    const [owner, stranger] = [await agentOf(), await agentOf()];
    const opened = await owner.client.post('/wallets/me/tokens', { name: 'A bot', scopes: ['read', 'transfer'] });
    const scoped = await connectMcp(world.client.url, opened.body.data.sessionToken, 'modern');
    const handle = await prepare(owner.host);
    expect(await callMcp(stranger.host, 'execute', { handle })).toMatchObject(UNKNOWN_HANDLE);
    expect(await callMcp(scoped, 'execute', { handle })).toMatchObject(UNKNOWN_HANDLE);
    expect(await callMcp(owner.host, 'execute', { handle: await prepare(scoped) })).toMatchObject(UNKNOWN_HANDLE);
    expect(asked).toEqual([]);
  });

  it('expires when it was not executed in time, and not after that', async () => {
    const { host } = await agentOf();
    const [late, begun] = [await prepare(host), await prepare(host)];
    const first = await callMcp(host, 'execute', { handle: begun });
    world.clock.aheadMs += 16 * MINUTE_MS;
    const expired = await callMcp(host, 'execute', { handle: late });
    expect(expired).toMatchObject({ isError: true, data: { message: expect.stringContaining('has expired') } });
    expect(await callMcp(host, 'execute', { handle: begun })).toEqual(first);
    expect(asked).toEqual([first.data.transactionId]);
  });

  it('never executes again once its key may count as new', async () => {
    const { host } = await agentOf();
    const handle = await prepare(host);
    const first = await callMcp(host, 'execute', { handle });
    world.clock.aheadMs += 22 * 60 * MINUTE_MS;
    expect(await callMcp(host, 'execute', { handle })).toEqual(first);
    for (const hours of [1.5, 1, 24]) {
      world.clock.aheadMs += hours * 60 * MINUTE_MS;
      await purgeExpired(world.database, world.clock);
      const late = await callMcp(host, 'execute', { handle });
      const message = expect.stringContaining('more than 23 hours ago');
      expect(late).toMatchObject({ isError: true, data: { code: 'VALIDATION_ERROR', message } });
    }
    expect(asked).toEqual([first.data.transactionId]);
  });

  it('expires also after a try that began nothing', async () => {
    const { host } = await agentOf();
    const handle = await prepare(host);
    await world.services.wallet.kill();
    expect(await callMcp(host, 'execute', { handle })).toMatchObject({ isError: true });
    await world.restartServices();
    world.clock.aheadMs += 16 * MINUTE_MS;
    const expired = await callMcp(host, 'execute', { handle });
    expect(expired).toMatchObject({ isError: true, data: { message: expect.stringContaining('has expired') } });
    expect(asked).toEqual([]);
  });

  it('is not executed when the price has moved by more than the slippage', async () => {
    const { host } = await agentOf();
    const traded: string[] = [];
    const { trade, dryRunTrade } = world.script.swap;
    let output = 1_000_000n;
    world.script.swap.dryRunTrade = async (request) => {
      const reply = await dryRunTrade(request);
      const change = { mint: TO, symbol: 'OUT', decimals: 6, amount: output, isDebit: false };
      return { ...reply, dryRun: { ...reply.dryRun!, balanceChanges: [change] } };
    };
    world.script.swap.trade = async (request) => {
      traded.push(request.operationId);
      return trade(request);
    };
    const prepared = async () =>
      (await callMcp(host, 'prepare_trade', { from: 'USDC', to: 'SOL', amount: '25', slippageBps: 50 })).data.handle;
    const [worse, within] = [await prepared(), await prepared()];
    output = 990_000n;
    const moved = await callMcp(host, 'execute', { handle: worse });
    expect(moved).toMatchObject({ isError: true, data: { code: 'SLIPPAGE_EXCEEDED' } });
    expect(traded).toEqual([]);
    output = 996_000n;
    expect(await callMcp(host, 'execute', { handle: within })).toMatchObject({ isError: false });
    // What has begun is not judged again.
    output = 1n;
    expect(await callMcp(host, 'execute', { handle: within })).toMatchObject({ isError: false });
    expect(new Set(traded).size).toBe(1);
  });

  it('is not given for what the policy denies', async () => {
    const { host } = await agentOf();
    const { dryRunTransfer } = world.script.wallet;
    world.script.wallet.dryRunTransfer = async (request) => {
      const reply = await dryRunTransfer(request);
      const decision = { ...reply.dryRun!.decision!, allowed: false, rule: 'daily_limit' };
      return { ...reply, dryRun: { ...reply.dryRun!, decision } };
    };
    const { data } = await callMcp(host, 'prepare_transfer', TRANSFER);
    expect(data).toMatchObject({ handle: null, decision: 'denied', preview: { policy: { rule: 'daily_limit' } } });
    expect(data.next).toMatch(/^The policy denies it by the rule daily_limit\. Nothing moved\./);
  });
});

describe('a scoped token', () => {
  it('sees and uses the tools of its scopes alone', async () => {
    const { client } = await agentOf();
    const opened = await client.post('/wallets/me/tokens', { name: 'A bot', scopes: ['trade'] });
    const host = await connectMcp(world.client.url, opened.body.data.sessionToken, 'modern');
    const { tools } = await host.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['prepare_unwrap_sol', 'prepare_trade', 'execute']);
    for (const [name, given] of [
      ['get_balances', {}],
      ['prepare_transfer', TRANSFER],
    ] as const) {
      expect(await callMcp(host, name, given)).toMatchObject({ isError: true, data: { code: 'INSUFFICIENT_SCOPE' } });
    }
  });
});

describe('a request to the endpoint', () => {
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const HEADERS = { accept: 'application/json, text/event-stream' };

  it('needs a token', async () => {
    const reply = await world.client.post('/mcp', PING, HEADERS);
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('is refused from a page of another site', async () => {
    const { client } = await agentOf();
    const from = async (origin: string) => (await client.post('/mcp', PING, { ...HEADERS, origin })).status;
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('null')).toBe(403);
    expect(await from('http://localhost:3000')).toBe(200);
  });

  it.each<[string, string]>([
    ['a batch', JSON.stringify([PING, PING])],
    ['a text', '"ping"'],
    ['broken JSON', '{"jsonrpc"'],
    ['a key that occurs twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
    [
      'a number that no float holds',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"n":0.12345678901234567890123}}',
    ],
    [
      'values in too many levels',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(40)}${']'.repeat(40)}}`,
    ],
    ['nothing', ''],
  ])('that carries %s is refused as a JSON-RPC error', async (_, raw) => {
    const { client } = await agentOf();
    const reply = await client.call('POST', '/mcp', {
      raw,
      headers: { ...HEADERS, 'content-type': 'application/json' },
    });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: expect.any(Number) } });
  });

  it.each(['GET', 'DELETE'])('by %s is refused: it has no sessions', async (method) => {
    const { client } = await agentOf();
    const reply = await client.call(method, '/mcp', { headers: HEADERS });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'POST']);
  });

  it('counts against the limits of the agent', async () => {
    const { client } = await agentOf();
    const { headers } = await client.post('/mcp', PING, HEADERS);
    const after = await client.post('/mcp', PING, HEADERS);
    expect(Number(after.headers['x-ratelimit-remaining'])).toBe(Number(headers['x-ratelimit-remaining']) - 1);
  });
});
