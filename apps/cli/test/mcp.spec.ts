import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from '@jest/globals';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LONGEST_LINE_BYTES } from '../src/mcp/lines.js';
import { send } from '../src/mcp/mcp-post.js';
import { McpHost } from './mcp-host.js';
import { McpService } from './mcp-service.js';
import { type Ends, MAIN, open, openHere, type Run, start } from './program.js';

let service: McpService;
let home: string;
const hosts: McpHost[] = [];

beforeAll(async () => {
  service = await McpService.start();
});
afterAll(() => service.stop());

beforeEach(async () => {
  service.reset();
  home = await mkdtemp(path.join(tmpdir(), 'aw-mcp-'));
});
afterEach(async () => {
  for (const opened of hosts.splice(0)) {
    opened.kill('SIGKILL');
    await opened.ended;
  }
  await rm(home, { recursive: true });
});

function environment(): Record<string, string> {
  return { AW_API: service.url, AW_HOME: home, AW_TOKEN: McpService.token };
}

/** Opens `aw mcp`, by default in this process. */
function openHost(env = environment(), openRun: (...args: Parameters<typeof open>) => Run<Ends> = openHere): McpHost {
  const opened = new McpHost(openRun(['mcp'], env));
  hosts.push(opened);
  return opened;
}

function logIn(): Promise<void> {
  const session = { api: service.url, email: 'a@example.com', token: McpService.token, expiresAt: '2030-01-01' };
  return writeFile(path.join(home, 'session.json'), JSON.stringify(session));
}

function textOf(content: readonly unknown[] | undefined): string {
  return (content?.[0] as { text: string }).text;
}

type Negotiation = ClientOptions['versionNegotiation'];
const MODES: readonly (readonly [string, Negotiation, string])[] = [
  ['legacy', undefined, 'legacy'],
  ['auto', { mode: 'auto' }, 'modern'],
  ['2026-07-28', { mode: { pin: '2026-07-28' } }, 'modern'],
];

describe('the official client', () => {
  it.each(MODES)('lists and calls tools in mode %s', async (_mode, versionNegotiation, era) => {
    const client = new Client({ name: 'test', version: '1' }, versionNegotiation ? { versionNegotiation } : {});
    const env = { PATH: process.env['PATH'] ?? '', ...environment() };
    const command = process.execPath;
    await client.connect(new StdioClientTransport({ command, args: [MAIN, 'mcp'], env, stderr: 'ignore' }));
    try {
      expect(client.getProtocolEra()).toBe(era);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['execute', 'hold', 'count']);
      const { content } = await client.callTool({ name: 'execute', arguments: { handle: 'h-1' } });
      expect(textOf(content)).toBe('executed h-1');
      expect(service.posts.at(-1)!.headers['mcp-protocol-version']).toBe(
        era === 'modern' ? '2026-07-28' : '2025-11-25',
      );
    } finally {
      await client.close();
    }
  });
});

describe('a message', () => {
  it('goes to the service as it was written, with its name encoded where it is not ASCII', async () => {
    const host = openHost();
    service.before = ({ body }, response) => {
      const answer = `{"jsonrpc":"2.0",\n "id":"a", "result":{"n":12345678901234567890.10}}`;
      response.writeHead(200, { 'content-type': 'application/json' }).end(body.includes('"a"') ? answer : '');
      return true;
    };
    host.call('a', 'größe', { amount: 1 });
    expect(await host.nextText()).toBe('{"jsonrpc":"2.0",  "id":"a", "result":{"n":12345678901234567890.10}}');
    const [{ headers, body, url }] = service.posts as [(typeof service.posts)[0]];
    expect(url).toBe('/mcp');
    expect(headers).toMatchObject({ 'mcp-method': 'tools/call', 'mcp-name': '=?base64?Z3LDtsOfZQ==?=' });
    expect(body).toContain('"größe"');
  });

  it('passes on two notifications of a stream before the result', async () => {
    const host = openHost();
    host.send(7, 'tools/call', { name: 'count', arguments: {} }, { progressToken: 'p' });
    const lines = [await host.next(), await host.next(), await host.next()];
    expect(lines.map(({ method, id }) => method ?? id)).toEqual([
      'notifications/progress',
      'notifications/progress',
      7,
    ]);
  });

  it('passes on changes of a subscription while other requests are served', async () => {
    const host = openHost();
    host.send('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect((await host.next()).method).toBe('notifications/subscriptions/acknowledged');
    service.changeTools();
    expect((await host.next()).method).toBe('notifications/tools/list_changed');
    host.call(1, 'execute', { handle: 'h' });
    expect((await host.next()).id).toBe(1);
    host.closeInput();
    expect((await host.ended).code).toBe(0);
  });

  it('opens a subscription again that the service has cut', async () => {
    const host = openHost();
    let cut: (() => void) | undefined;
    service.before = (_posted, response) => {
      cut = () => response.socket?.destroy();
      return false;
    };
    host.send('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    for (const posts of [1, 2, 3]) {
      expect((await host.next()).method).toBe('notifications/subscriptions/acknowledged');
      expect(service.posts).toHaveLength(posts);
      cut?.();
    }
  });

  it('gets the id of its request in an error that has none', async () => {
    const host = openHost();
    service.before = (_posted, response) => {
      const error = { code: -32020, message: 'Headers differ.', data: { header: 'Mcp-Name' } };
      response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      return true;
    };
    host.call(4, 'execute', { handle: 'h' });
    expect(await host.next()).toEqual({
      jsonrpc: '2.0',
      id: 4,
      error: { code: -32020, message: 'Headers differ.', data: { header: 'Mcp-Name' } },
    });
  });

  it('passes on a JSON-RPC error of a 404 as it is', async () => {
    const host = openHost();
    host.send(3, 'tools/unknown');
    expect(await host.next()).toMatchObject({ id: 3, error: { code: -32601 } });
  });

  it.each([
    ['broken JSON', '{"jsonrpc":\n'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a])],
    ['a line that is too long', `"${'x'.repeat(LONGEST_LINE_BYTES)}"\n`],
  ])('answers %s with -32700, and serves the next line', async (_name, text) => {
    const host = openHost();
    host.write(text);
    expect(await host.next()).toMatchObject({ id: null, error: { code: -32700 } });
    host.call(1, 'execute', { handle: 'h' });
    expect((await host.next()).id).toBe(1);
  });

  it('answers JSON without a request with -32600, and never answers a notification', async () => {
    const host = openHost();
    service.before = (_posted, response) => McpService.refuse(response, 403, 'FORBIDDEN');
    host.send(undefined, 'notifications/roots/list_changed');
    host.write('[]\n');
    host.closeInput();
    const { out, code } = await host.ended;
    expect(JSON.parse(out)).toMatchObject({ id: null, error: { code: -32600 } });
    expect(code).toBe(0);
  });
});

describe('a failure', () => {
  it('repeats a call whose answer was lost, with the same arguments', async () => {
    const host = openHost();
    const bodies: string[] = [];
    service.before = ({ body }, response) => {
      bodies.push(body);
      if (bodies.length > 1) return false;
      service.executed.push('h-1');
      response.socket?.destroy();
      return true;
    };
    host.call(1, 'execute', { handle: 'h-1' });
    expect(textOf((await host.next()).result?.content)).toBe('executed h-1');
    expect(service.executed).toEqual(['h-1', 'h-1']);
    expect(bodies[1]).toBe(bodies[0]);
  });

  it('repeats a call whose stream ends before the answer', async () => {
    const host = openHost();
    service.before = (_posted, response) => {
      if (service.posts.length > 1) return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': waiting\n\ndata: {"jsonrpc"');
      return true;
    };
    host.call(1, 'execute', { handle: 'h-1' });
    expect((await host.next()).id).toBe(1);
    expect(service.posts).toHaveLength(2);
  });

  it.each([429, 503])('repeats after the pause that a %s names', async (status) => {
    const host = openHost();
    service.before = (_posted, response) =>
      service.posts.length === 1 && McpService.refuse(response, status, 'RATE_LIMITED', { 'retry-after': '1' });
    host.call(1, 'execute', { handle: 'h' });
    expect(await host.next()).toMatchObject({ id: 1, result: {} });
    expect(service.posts).toHaveLength(2);
  });

  it('reports a 429 whose pause is too long at once', async () => {
    const host = openHost();
    service.before = (_posted, response) => McpService.refuse(response, 429, 'RATE_LIMITED', { 'retry-after': '3600' });
    host.call(1, 'execute', { handle: 'h' });
    const { error } = await host.next();
    expect(error).toMatchObject({ code: -32603, data: { status: 429, code: 'RATE_LIMITED', retryAfterSeconds: 3600 } });
    expect(error!.message).toContain('Wait 3600 seconds.');
    expect(service.posts).toHaveLength(1);
  });

  it.each([
    [403, 'INSUFFICIENT_SCOPE', 'Ask the owner'],
    [404, 'NOT_FOUND', 'AW_API'],
    [307, 'REDIRECTED', 'AW_API'],
    [500, 'INTERNAL', 'same arguments'],
  ])('reports a %s with the next step', async (status, code, advice) => {
    const host = openHost();
    service.before = (_posted, response) => McpService.refuse(response, status, code, { location: '/elsewhere' });
    host.call('x', 'execute', { handle: 'h' });
    const { id, error } = await host.next();
    expect(id).toBe('x');
    expect(error).toMatchObject({ code: -32603, data: { status, code } });
    expect(error!.message).toContain(advice);
    expect(service.posts).toHaveLength(1);
  });

  it('reports a service that stays away once the time for repeats is over', async () => {
    const gone = await McpService.start();
    const { url } = gone;
    await gone.stop();
    const { signal } = new AbortController();
    const post = { url: `${url}/mcp`, headers: {}, body: '{}', id: 1, isStream: false, signal };
    expect(await send(post, () => undefined, 300)).toBe('no answer');
  });

  it.each([
    ['text/event-stream', 'data: '],
    ['application/json', '"'],
  ])('gives up an answer of %s without an end', async (type, first) => {
    const closed: Promise<unknown>[] = [];
    const server = createServer((_request, response) => {
      closed.push(once(response, 'close'));
      response.writeHead(200, { 'content-type': type }).write(first);
      const more = () => response.destroyed || response.write('x'.repeat(65_536), (error) => error ?? more());
      more();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { signal } = new AbortController();
    const post = { url: `http://127.0.0.1:${port}/mcp`, headers: {}, body: '{}', id: 1, isStream: false, signal };
    expect(await send(post, () => undefined, 0)).toBe('no answer');
    await Promise.all(closed);
    server.close();
  });
});

describe('a login', () => {
  it('reports a token that is not accepted', async () => {
    const host = openHost({ ...environment(), AW_TOKEN: 'old' });
    host.call(1, 'execute', { handle: 'h' });
    const { error } = await host.next();
    expect(error).toMatchObject({ code: -32603, data: { status: 401, code: 'AUTHENTICATION_ERROR' } });
    expect(error!.message).toContain('AW_TOKEN');
  });

  it('never shows a token that cannot be sent', async () => {
    const host = openHost({ ...environment(), AW_TOKEN: 'secret\n' });
    host.call(1, 'execute', { handle: 'h' });
    const text = await host.nextText();
    expect(text).toContain('AW_TOKEN is not a token');
    expect(text).not.toContain('secret');
  });

  it('is picked up by the next request of a running program', async () => {
    const host = openHost({ AW_API: service.url, AW_HOME: home });
    host.call(1, 'execute', { handle: 'h' });
    const { error } = await host.next();
    expect(error).toMatchObject({ code: -32603, data: { status: 401 } });
    expect(error!.message).toMatch(/^You are not logged in\. Run `aw login/);
    expect(service.posts).toHaveLength(0);
    await logIn();
    host.call(2, 'execute', { handle: 'h' });
    expect(await host.next()).toMatchObject({ id: 2, result: {} });
    host.closeInput();
    const { err } = await host.ended;
    expect(err).toContain('without a login');
  });

  it('is named on stderr, and stdout has answers alone', async () => {
    await logIn();
    const { out, err, code } = await start(['mcp'], { AW_API: service.url, AW_HOME: home }).ended;
    expect({ out, code }).toEqual({ out: '', code: 0 });
    expect(err).toBe(`Serving the wallet of a@example.com at ${service.url} over stdio.\n`);
  });
});

describe('the end', () => {
  /** Resolves when a call of `hold` has begun, with what lets it go on, and what resolves when it is aborted. */
  function holding(): Promise<{ release: () => void; aborted: Promise<void> }> {
    return new Promise((begun) => {
      service.onHold = (signal) =>
        new Promise((release) => {
          const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          begun({ release, aborted });
        });
    });
  }

  it('waits for the answer of a running call after the input has ended', async () => {
    const host = openHost(environment(), open);
    // The program ends a subscription when it sees the end of its input.
    const unsubscribed = new Promise((resolve) => {
      service.before = (_posted, response) => {
        response.once('close', resolve);
        return false;
      };
    });
    host.send('s', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect((await host.next()).method).toBe('notifications/subscriptions/acknowledged');
    service.before = () => false;
    const held = holding();
    host.call(1, 'hold');
    const { release } = await held;
    host.closeInput();
    await unsubscribed;
    release();
    expect(textOf((await host.next()).result?.content)).toBe('held');
    expect((await host.ended).code).toBe(0);
  });

  it('gives a cancelled call no answer', async () => {
    const host = openHost();
    const held = holding();
    host.call(1, 'hold');
    const { aborted } = await held;
    host.send(undefined, 'notifications/cancelled', { requestId: 1 });
    await aborted;
    host.call(2, 'execute', { handle: 'h' });
    expect((await host.next()).id).toBe(2);
    expect(service.posts.filter(({ body }) => body.includes('notifications/cancelled'))).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('comes at %s with a running call', async (signal) => {
    const host = openHost(environment(), open);
    const held = holding();
    host.call(1, 'hold');
    const { aborted } = await held;
    host.kill(signal);
    expect(await host.ended).toMatchObject({ code: 0, out: '' });
    await aborted;
  });

  it('comes when the answers have no reader', async () => {
    const host = openHost(environment(), open);
    const held = holding();
    host.call(1, 'hold');
    const { release } = await held;
    host.closeOutput();
    release();
    expect((await host.ended).code).toBe(141);
  });
});

it('help shows the configuration of a host', async () => {
  const { out } = await start(['mcp', '--help'], {}).ended;
  expect(out).toContain('{"mcpServers":{"wallet":{"command":"aw","args":["mcp"]}}}');
});
