import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response: a status, a JSON body, and headers. */
export interface Scripted {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Starts a server that responds as a test scripts it. */
export async function startHttpServer(respond: (request: IncomingMessage) => Scripted) {
  const server = createServer((request, response) => {
    const { status = 200, body, headers = {} } = respond(request);
    response.writeHead(status, headers).end(body === undefined ? '' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
