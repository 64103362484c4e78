import { closest, once } from '@agent-wallet/kernel';
import {
  type AuthInfo,
  type CallToolResult,
  createMcpHandler,
  isInputRequiredResult,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { type AgentCaller, isServed } from '../../api/route.js';
import { API_VERSION } from '../../api/schemas/headers.js';
import { SERVICE_NAME } from '../docs/about.js';
import { callTool, type ToolCaller, type ToolParts } from './call-tool.js';
import { listen, listenRefusal } from './listen.js';
import { withOwner } from './owner-approval.js';
import { getPrompt, listPrompts } from './prompts.js';
import { listResources, listResourceTemplates, readResource } from './resources.js';
import type { ToolArguments } from './tool-input.js';
import type { WalletTool } from './wallet-tools.js';

/** Time for which a host may keep the list of tools, which changes with releases alone. */
const LIST_TTL_MS = 300_000;

const LISTED = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;
const CACHE_HINTS = {
  'server/discover': LISTED,
  'tools/list': LISTED,
  'prompts/list': LISTED,
  'resources/list': LISTED,
  'resources/templates/list': LISTED,
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
} as const;

const INSTRUCTIONS =
  'A Solana wallet inside limits that its owner set. Amounts are decimal text in the unit of the token, such as "1.5". ' +
  'Money moves in two steps: a `prepare_…` tool returns cost, decision and a handle; `execute` takes the handle. After a ' +
  'broken connection call `execute` again with the same handle: it never pays twice. `get_policy` and `get_policy_usage` ' +
  'show the limits. When the owner must approve, show the owner `approvalUrl`: you cannot approve it.';

/** Creates the handler of MCP messages: one server for each message, which knows its caller and nothing else. */
export function createWalletHandler(parts: ToolParts): Pick<McpHttpHandler, 'fetch' | 'close'> {
  const handlerOf = (bus?: ServerEventBus) =>
    createMcpHandler(({ authInfo, era }) => createServer(parts, authInfo, era), {
      ...(bus ? { bus, maxSubscriptions: 1 } : {}),
      onerror: (err) => parts.logger.debug({ event: 'mcp_message.refused', err }, 'MCP message refused'),
    });
  const handler = handlerOf();
  return {
    close: () => handler.close(),
    async fetch(request, options = {}) {
      const { method, id } = (options.parsedBody ?? {}) as { readonly method?: unknown; readonly id?: unknown };
      if (method !== 'subscriptions/listen') return handler.fetch(request, options);
      const { changeStreams } = parts.services;
      const by = callerOf(options.authInfo);
      return listen({ changeStreams, by, handlerOf, request, options }).catch((error) => listenRefusal(error, id));
    },
  };
}

/**
 * Returns the authentication of a request, and its message, as the library carries them to the server. The token itself
 * stays outside.
 */
export function authInfoOf({ caller, facts }: ToolCaller, message?: Readonly<Record<string, unknown>>): AuthInfo {
  const { agentId, token, expiresAtMs } = caller;
  return {
    token: '',
    clientId: agentId,
    scopes: [...(token?.scopes ?? [])],
    expiresAt: Math.floor(expiresAtMs / 1_000),
    extra: { caller, facts, message },
  };
}

/** Refuses every state of a caller: the server gives none, since the handle says all that a retry needs. */
function refuseState(): never {
  throw new Error('this server gives no requestState');
}

/** Returns the arguments of a tool as they came: the library drops a key `__proto__`, which is an unknown field. */
function argumentsOf(authInfo: AuthInfo | undefined): ToolArguments {
  const { params } = authInfo?.extra?.['message'] as { readonly params?: { readonly arguments?: ToolArguments } };
  return params?.arguments ?? {};
}

function callerOf(authInfo: AuthInfo | undefined): ToolCaller {
  if (!authInfo?.extra) throw new Error('a message reached the server without its caller');
  return authInfo.extra as unknown as ToolCaller;
}

function createServer(parts: ToolParts, authInfo: AuthInfo | undefined, era: 'legacy' | 'modern'): Server {
  const by = callerOf(authInfo);
  const server = new Server(
    { name: SERVICE_NAME, title: 'Agent Wallet', version: API_VERSION },
    {
      // Messages of the older revision come without a session, to which updates could be sent.
      capabilities: { tools: {}, prompts: {}, resources: era === 'modern' ? { subscribe: true } : {} },
      instructions: INSTRUCTIONS,
      cacheHints: CACHE_HINTS,
      requestState: { verify: refuseState },
    },
  );
  serveTools(server, parts, authInfo);
  server.setRequestHandler('resources/list', () => ({ resources: listResources(by) }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listResourceTemplates(by) }));
  server.setRequestHandler('resources/read', ({ params }) => readResource(parts.services, params.uri, by));
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }));
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(params.name, params.arguments));
  return server;
}

function serveTools(server: Server, parts: ToolParts, authInfo: AuthInfo | undefined): void {
  const by = callerOf(authInfo);
  // An app can ask its owner for more scopes, once it knows for what.
  const isApp = by.caller.clientId !== undefined;
  const isOffered = (tool: WalletTool) => tool.kind === 'execute' || isServed(tool.route, parts.services.parts);
  const tools = once(() => parts.tools().filter((tool) => isOffered(tool) && (isApp || isOpenTo(tool, by.caller))));
  server.setRequestHandler('tools/list', () => ({ tools: tools().map((tool) => tool.listed) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = parts.tools().find(({ listed }) => listed.name === params.name);
    if (!tool) throw unknownTool(params.name, tools());
    const call = () => callTool(parts, tool, argumentsOf(authInfo), by);
    const shown = tool.kind === 'execute' ? await withOwner(call, mcpReq) : await call();
    if (isInputRequiredResult(shown)) return shown;
    const result: CallToolResult = { content: [{ type: 'text', text: shown.json }], isError: shown.isError };
    if (!shown.isError) result.structuredContent = JSON.parse(shown.json) as Record<string, unknown>;
    return server.projectCallToolResult(result, tool.listed.outputSchema);
  });
}

/** Reports whether the scopes of a caller cover a tool: of `execute`, any that moves money. */
function isOpenTo({ scopes }: WalletTool, { token }: AgentCaller): boolean {
  return !token || scopes.length === 0 || scopes.some((scope) => token.scopes.includes(scope));
}

/**
 * Returns the scopes of which a call of a tool needs one, where the caller has none of them. Of `execute` it returns none:
 * a token without the scope has no handle.
 */
export function missingScopes(
  tools: readonly WalletTool[],
  { method, params }: Readonly<Record<string, unknown>>,
  caller: AgentCaller,
): readonly string[] {
  if (method !== 'tools/call') return [];
  const tool = tools.find(({ listed }) => listed.name === (params as { readonly name?: unknown } | undefined)?.name);
  return tool && tool.kind !== 'execute' && !isOpenTo(tool, caller) ? tool.scopes : [];
}

function unknownTool(name: string, tools: readonly WalletTool[]): ProtocolError {
  const names = tools.map(({ listed }) => listed.name);
  const meant = closest(name, names);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : '';
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool.${hint}`);
}
