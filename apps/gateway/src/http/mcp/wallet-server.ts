import { closest } from '@agent-wallet/kernel';
import {
  type AuthInfo,
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import type { AgentCaller } from '../../api/route.js';
import { API_VERSION } from '../../api/schemas/headers.js';
import { SERVICE_NAME } from '../docs/about.js';
import { callTool, type ToolCaller, type ToolParts } from './call-tool.js';
import type { WalletTool } from './wallet-tools.js';

/** Time for which a host may keep the list of tools, which changes with releases alone. */
const LIST_TTL_MS = 300_000;

const INSTRUCTIONS =
  'A Solana wallet inside limits that its owner set. Amounts are decimal text in the unit of the token, such as "1.5". ' +
  'Money moves in two steps: a `prepare_…` tool returns cost, decision and a handle; `execute` takes the handle. After a ' +
  'broken connection call `execute` again with the same handle: it never pays twice. `get_policy` and `get_policy_usage` ' +
  'show the limits. When the owner must approve, show the owner `approvalUrl`: you cannot approve it.';

/** Creates the handler of MCP messages: one server for each message, which knows its caller and nothing else. */
export function createWalletHandler(parts: ToolParts): McpHttpHandler {
  return createMcpHandler(({ authInfo }) => createServer(parts, callerOf(authInfo)), {
    onerror: (err) => parts.logger.debug({ event: 'mcp_message.refused', err }, 'MCP message refused'),
  });
}

/** Returns the authentication of a request as the library carries it to the server. The token itself stays outside. */
export function authInfoOf({ caller, facts }: ToolCaller): AuthInfo {
  const { agentId, token, expiresAtMs } = caller;
  return {
    token: '',
    clientId: agentId,
    scopes: [...(token?.scopes ?? [])],
    expiresAt: Math.floor(expiresAtMs / 1_000),
    extra: { caller, facts },
  };
}

function callerOf(authInfo: AuthInfo | undefined): ToolCaller {
  if (!authInfo?.extra) throw new Error('a message reached the server without its caller');
  return authInfo.extra as unknown as ToolCaller;
}

function createServer(parts: ToolParts, by: ToolCaller): Server {
  const server = new Server(
    { name: SERVICE_NAME, title: 'Agent Wallet', version: API_VERSION },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
        'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      },
    },
  );
  const tools = parts.tools.filter((tool) => isOpenTo(tool, by.caller));
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed }) => listed) }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = parts.tools.find(({ listed }) => listed.name === params.name);
    if (!tool) throw unknownTool(params.name, tools);
    const { json, isError } = await callTool(parts, tool, params.arguments ?? {}, by);
    const result: CallToolResult = { content: [{ type: 'text', text: json }], isError };
    if (!isError) result.structuredContent = JSON.parse(json) as Record<string, unknown>;
    return server.projectCallToolResult(result, tool.listed.outputSchema);
  });
  return server;
}

/** Reports whether the scopes of a caller cover a tool: of `execute`, any that moves money. */
function isOpenTo({ scopes }: WalletTool, { token }: AgentCaller): boolean {
  return !token || scopes.length === 0 || scopes.some((scope) => token.scopes.includes(scope));
}

function unknownTool(name: string, tools: readonly WalletTool[]): ProtocolError {
  const names = tools.map(({ listed }) => listed.name);
  const meant = closest(name, names);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : '';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool.${hint}`);
}
