import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from './client.js';
import { RATE_LIMITS, World } from './world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await World.open({ rateLimits: { ...RATE_LIMITS, clientPerMinute: 1_000, agentPerMinute: 1_000 } });
  ({ client } = await world.login());
});
afterAll(() => world.close());

const MODERN = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** Lists tools by each revision. */
const REVISIONS: ReadonlyArray<readonly [revision: string, message: object, headers: Record<string, string>]> = [
  ['before 2025-03-26', LIST, {}],
  ['2025-06-18', LIST, { 'mcp-protocol-version': '2025-06-18' }],
  ['2025-11-25', LIST, { 'mcp-protocol-version': '2025-11-25' }],
  [MODERN, { ...LIST, params: { _meta: META } }, { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' }],
];

const ACCEPTED = [
  undefined,
  ...['*/*', 'application/*, text/*', 'application/json, */*;q=0.1', 'Application/JSON, TEXT/Event-Stream'],
  ...['application/json;charset=utf-8;q=0.9,text/event-stream;q=0.1', '*/*;q=0.5, text/html', 'text/*, */*;q=0.001'],
];

const REFUSED = [
  ...['application/json;q=0, text/event-stream', 'text/event-stream', 'text/html', '*/*, application/json;q=0'],
  ...['application/jsonp, text/event-stream', 'text/plain;a="application/json", text/event-stream', '*/*;q=0'],
];

describe.each(REVISIONS)('the endpoint, by revision %s,', (_, message, headers) => {
  it.each(ACCEPTED)('answers Accept: %s', async (accept) => {
    const reply = await client.post('/mcp', message, { ...headers, ...(accept === undefined ? {} : { accept }) });
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('get_balances');
  });

  it.each(REFUSED)('refuses Accept: %s by a text that says what to send', async (accept) => {
    const reply = await client.post('/mcp', message, { ...headers, accept });
    expect([reply.status, reply.body.error.message]).toEqual([
      406,
      'Accept excludes application/json. Send `Accept: application/json, text/event-stream`.',
    ]);
  });

  it.each(['Application/JSON', 'application/json; charset="UTF-8"', 'application/json; profile=x'])(
    'reads a body of type %s',
    async (type) => {
      const reply = await client.post('/mcp', message, { ...headers, 'content-type': type });
      expect(reply.status).toBe(200);
    },
  );
});
