import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';

/** A node's reply: the fields of a JSON-RPC response, or an HTTP status. */
export type Reply = { readonly result: unknown } | { readonly error: object } | { readonly status: number } | 'silence';

/** A call of a method. */
export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node on a port of its own that replies to each method as a test scripts it. */
export interface ScriptedNode {
  readonly url: string;
  readonly replies: Record<string, Reply>;
  /** Replies to calls by their parameters; undefined leaves a call to `replies`. */
  reply: (call: Call) => Reply | undefined;
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
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, ...call } = (await json(request)) as Call & { readonly id: number };
    const reply = node.reply(call) ?? replies[call.method] ?? { error: { code: -32_601, message: 'Method not found' } };
    if (reply === 'silence') return;
    if ('status' in reply) response.writeHead(reply.status).end();
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  };
  const server = createServer((request, response) => void serve(request, response));
  const sockets = new WebSocketServer({ server, path: '/' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: ScriptedNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replies,
    reply: () => undefined,
    close: async () => {
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return node;
}
