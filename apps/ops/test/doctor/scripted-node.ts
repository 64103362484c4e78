import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';

/** A node's reply: the fields of a JSON-RPC response, or an HTTP status. */
export type Reply = { readonly result: unknown } | { readonly error: object } | { readonly status: number } | 'silence';

/** A node on a port of its own that replies to each method as a test scripts it. */
export interface ScriptedNode {
  readonly url: string;
  readonly replies: Record<string, Reply>;
  close(): Promise<void>;
}

/** Slot and time of the newest block. */
export const SLOT = 1_000_000;
export const BLOCK_TIME_MS = 1_800_000_000_000;

const GENESIS_OF_DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

const HEALTHY: Readonly<Record<string, Reply>> = {
  getGenesisHash: { result: GENESIS_OF_DEVNET },
  getHealth: { result: 'ok' },
  getFirstAvailableBlock: { result: 0 },
  getEpochInfo: { result: { absoluteSlot: SLOT, blockHeight: SLOT, epoch: 2 } },
  getBlockTime: { result: BLOCK_TIME_MS / 1_000 },
};

/** Starts a healthy node of devnet. */
export async function startScriptedNode(): Promise<ScriptedNode> {
  const replies = { ...HEALTHY };
  const server = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string };
    const reply = replies[method] ?? { error: { code: -32_601, message: 'Method not found' } };
    if (reply === 'silence') return;
    if ('status' in reply) response.writeHead(reply.status).end();
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  });
  const sockets = new WebSocketServer({ server, path: '/' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replies,
    close: async () => {
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
