import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A way to a node that counts the calls that go through it, by method. */
export interface CountingServer {
  readonly url: string;
  readonly calls: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** A JSON-RPC call. */
interface NodeCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * Opens a door to a JSON-RPC node.
 * @param refuse error code for calls that are not to reach the node
 */
export async function openCountingServer(
  nodeUrl: string,
  refuse: (call: NodeCall) => number | undefined = () => undefined,
): Promise<CountingServer> {
  const calls = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const call = JSON.parse(body) as NodeCall;
      calls.set(call.method, (calls.get(call.method) ?? 0) + 1);
      const code = refuse(call);
      if (code !== undefined) {
        response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, error: { code, message: 'refused' } }));
        return;
      }
      void fetch(nodeUrl, { method: 'POST', body })
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
        .catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
