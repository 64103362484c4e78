import {
  Client as McpClient,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

/** Which revision a client speaks: that of 2025-11-25, or that of 2026-07-28. */
export type Era = 'legacy' | 'modern';

export const ERAS: readonly Era[] = ['legacy', 'modern'];

/** Settings of a host beside the defaults. */
export interface HostOptions {
  readonly fetch?: typeof fetch;
  readonly capabilities?: ClientCapabilities;
}

/** Connects the official client, which presents a token. */
export async function connectMcp(
  url: string,
  token: string,
  era: Era,
  { fetch: send = fetch, capabilities = {} }: HostOptions = {},
): Promise<McpClient> {
  const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy';
  const client = new McpClient({ name: 'a test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers }, fetch: send }),
  );
  return client;
}

/** The result of a tool, as a host sees it. */
export interface Called {
  readonly isError: boolean;
  readonly data: ReturnType<typeof JSON.parse>;
}

/** Calls a tool. Its text and its structured result are the same. */
export async function callMcp(client: McpClient, name: string, given: Record<string, unknown> = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: given });
  const [content] = result.content as ReadonlyArray<{ readonly text: string }>;
  return { isError: result.isError === true, data: result.structuredContent ?? JSON.parse(content!.text) };
}
