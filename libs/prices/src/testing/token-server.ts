import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A token search on a port of its own. */
export interface TokenServer {
  readonly url: string;
  /** Requested queries, in order. */
  readonly queries: string[];
  /** The response as JSON. */
  set body(value: unknown);
  /** The response as raw text. */
  set raw(value: string);
  close(): Promise<void>;
}

/** Starts a server that answers every search alike. */
export async function startTokenServer(): Promise<TokenServer> {
  const queries: string[] = [];
  let text = '[]';
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (pathname !== '/tokens/v2/search') {
      response.writeHead(404).end();
      return;
    }
    queries.push(searchParams.get('query') ?? '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries,
    set body(value: unknown) {
      text = JSON.stringify(value);
    },
    set raw(value: string) {
      text = value;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
