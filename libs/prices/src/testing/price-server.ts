import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A price API on a port of its own that answers as a test scripts it. */
export interface PriceServer {
  readonly url: string;
  /** The mints of each call, in order. */
  readonly calls: string[][];
  /** Returns the `x-api-key` of the last call. */
  lastKey(): string | undefined;
  close(): Promise<void>;
}

/** Starts a server; `answer` gets the mints of a call. */
export async function startPriceServer(
  answer: (mints: string[], response: ServerResponse) => void,
): Promise<PriceServer> {
  const calls: string[][] = [];
  let lastKey: string | undefined;
  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const mints = (url.searchParams.get('ids') ?? '').split(',');
    lastKey = request.headers['x-api-key']?.toString();
    if (url.pathname !== '/price/v3') {
      response.writeHead(404).end();
      return;
    }
    calls.push(mints);
    answer(mints, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    lastKey: () => lastKey,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
