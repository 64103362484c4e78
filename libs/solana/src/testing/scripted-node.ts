import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A scripted node's reply to a call. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** The text of a result, for numbers that JavaScript cannot write. */
  | { readonly resultText: string }
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** Never answers. */
  | 'silence'
  /** Closes the connection instead of answering. */
  | 'hang up'
  /** Closes the connection in the middle of the answer. */
  | 'break off';

/** One call as it came in. */
export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A JSON-RPC node on a port of its own that answers as a test scripts it. */
export interface ScriptedNode {
  readonly url: string;
  readonly calls: NodeCall[];
  /** Returns the highest number of calls that ran at once. */
  maxUnderWay(): number;
  close(): Promise<void>;
}

/** Starts a node; `reply` may take its time. */
export async function startScriptedNode(reply: (call: NodeCall) => Reply | Promise<Reply>): Promise<ScriptedNode> {
  const calls: NodeCall[] = [];
  let underWay = 0;
  let most = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method, params } = JSON.parse(await textOf(request)) as NodeCall & { id: number };
    const call = { method, params };
    calls.push(call);
    underWay += 1;
    most = Math.max(most, underWay);
    const answer = await reply(call);
    underWay -= 1;
    send(answer, id, response);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    maxUnderWay: () => most,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(reply: Reply, id: number, response: ServerResponse): void {
  if (reply === 'silence') return;
  if (reply === 'hang up') {
    response.socket?.destroy();
  } else if (reply === 'break off') {
    response.writeHead(200, { 'content-length': 1_000 }).write('{"jsonrpc"');
    setImmediate(() => response.socket?.destroy());
  } else if ('status' in reply) {
    response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
  } else if ('resultText' in reply) {
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${reply.resultText}}`);
  } else {
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  }
}
