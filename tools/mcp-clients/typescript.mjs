// The official client in TypeScript, over HTTP or through `aw mcp`.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import path from 'node:path';
import { closing } from '../measuring/closing.mjs';
import { root } from '../running/process.mjs';

const AW = path.join(root, 'apps', 'cli', 'bin', 'aw.mjs');

/** Connects over Streamable HTTP. @param mode how the revision is negotiated */
export function connectHttp({ api, token }, mode) {
  const headers = { authorization: `Bearer ${token}` };
  return connect(new StreamableHTTPClientTransport(new URL(`${api}/mcp`), { requestInit: { headers } }), mode);
}

/** Connects to `aw mcp`, which it starts. */
export function connectStdio({ api, token }, mode) {
  const env = { AW_API: api, AW_TOKEN: token };
  return connect(new StdioClientTransport({ command: process.execPath, args: [AW, 'mcp'], env }), mode);
}

async function connect(transport, mode) {
  const client = closing(
    new Client({ name: 'walk-through', version: '1.0.0' }, { versionNegotiation: { mode } }),
    (each) => each.close(),
  );
  await client.connect(transport);
  const { tools } = await client.listTools();
  return {
    era: client.getProtocolEra(),
    tools: tools.map(({ name }) => name),
    call: (name, given) => client.callTool({ name, arguments: given }),
  };
}
