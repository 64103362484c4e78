import { createMcpHandler, isLegacyRequest, type McpHttpHandler, McpServer } from '@modelcontextprotocol/server';
import type { AddressInfo } from 'node:net';
import type { AgentCaller } from '../../src/api/route.js';
import { createFastify } from '../../src/http/fastify.js';
import { HTTP_TIMEOUTS } from '../../src/http/http-server.js';
import { MCP_PATH, serveMcp } from '../../src/http/mcp/endpoint.js';
import { allowedOrigins } from '../../src/http/mcp/mcp-origins.js';
import { addAskingTools, roundCodec } from './asking-tools.js';
import { text } from './media.js';
import { addAskingPrompt, addPrompts } from './prompts.js';
import { addResources, addWatchedResource } from './resources.js';
import { addSessionTools } from './session-tools.js';
import { Sessions } from './sessions.js';
import { addTools } from './tools.js';

const INFO = { name: 'conformance-fixture', version: '1.0.0' };
const LIMITS = { trustedProxies: [], connectionLimits: { total: 1_000, perNetwork: 1_000 } };

/** A caller whose token lasts. */
const CALLER: AgentCaller = {
  agentId: '0197d0a0-0000-7000-8000-000000000001',
  sessionId: '0197d0a0-0000-7000-8000-000000000002',
  authenticatedAtMs: 0,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  isLive: true,
};

/** The gateway's transport with the server that the suite describes behind it. */
export interface Fixture {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the fixture on a free port. */
export async function startFixture(): Promise<Fixture> {
  const modern = createMcpHandler(() => createModern(modern), { legacy: 'reject' });
  const sessions = new Sessions(createLegacy);
  const fastify = createFastify(LIMITS, HTTP_TIMEOUTS).getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  serveMcp(fastify, {
    admission: { admitBearer: async () => CALLER },
    handler: {
      fetch: async (request, options) =>
        ((await isLegacyRequest(request, options?.parsedBody)) ? sessions : modern).fetch(request, options),
    },
    isAllowed: allowedOrigins('http://127.0.0.1'),
    metadataUrl: () => undefined,
    missingScopes: () => [],
  });
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}${MCP_PATH}`,
    close: async () => {
      await Promise.all([modern.close(), sessions.close()]);
      await fastify.close();
    },
  };
}

/** Creates the server of one message of 2026-07-28. */
function createModern({ notify }: Pick<McpHttpHandler, 'notify'>): McpServer {
  const server = new McpServer(INFO, {
    capabilities: { logging: {}, tools: { listChanged: true }, prompts: { listChanged: true } },
    requestState: { verify: (state, context) => roundCodec.verify(state, context) },
  });
  addTools(server);
  addAskingTools(server);
  addResources(server);
  addPrompts(server);
  addAskingPrompt(server);
  server.registerTool('test_logging_tool', { description: 'Logs' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'The tool runs');
    return { content: [text('Done')] };
  });
  server.registerTool('test_trigger_tool_change', { description: 'Announces a change of the tools' }, () => {
    notify.toolsChanged();
    return { content: [text('Done')] };
  });
  server.registerTool('test_trigger_prompt_change', { description: 'Announces a change of the prompts' }, () => {
    notify.promptsChanged();
    return { content: [text('Done')] };
  });
  return server;
}

/** Creates the server of a session of 2025-11-25. */
function createLegacy(): McpServer {
  const server = new McpServer(INFO, { capabilities: { logging: {}, resources: { subscribe: true } } });
  addTools(server);
  addSessionTools(server);
  addResources(server);
  addWatchedResource(server);
  addPrompts(server);
  return server;
}
