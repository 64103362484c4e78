import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the aggregator got it. */
export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly key: string | undefined;
  readonly body: string;
}

/** Answers a request; what a test scripts. */
export type Script = (request: AskedRequest, response: ServerResponse) => void;

/** An aggregator that answers what a test tells it to. */
export interface ScriptedAggregator {
  readonly url: string;
  readonly asked: AskedRequest[];
  script: Script;
  close(): Promise<void>;
}

/** Answers JSON with a status. */
export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Starts it on a port of its own. */
export async function startScriptedAggregator(script: Script = (_, response) => json(response, {})) {
  const asked: AskedRequest[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const one = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        key: request.headers['x-api-key']?.toString(),
        body: Buffer.concat(chunks).toString(),
      };
      asked.push(one);
      aggregator.script(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const aggregator: ScriptedAggregator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    script,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return aggregator;
}
