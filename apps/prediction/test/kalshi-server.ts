import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret } from '@agent-wallet/kernel';

/** One request as the exchange got it. */
export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a request; what a test scripts. */
export type Script = (request: AskedRequest, response: ServerResponse) => void;

/** An exchange that answers what a test tells it to. */
export interface KalshiServer {
  readonly baseUrl: string;
  readonly asked: AskedRequest[];
  script: Script;
  close(): Promise<void>;
}

/** Answers JSON with a status. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Starts it on a port of its own. */
export async function startKalshiServer(): Promise<KalshiServer> {
  const asked: AskedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const one = {
        method: request.method ?? '',
        path: url.pathname.replace('/trade-api/v2', ''),
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      asked.push(one);
      kalshi.script(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kalshi: KalshiServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/trade-api/v2`,
    asked,
    script: (_, response) => json(response, {}),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return kalshi;
}

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A key of an account, in every form that tests need. */
export const testKey = {
  id: '4f1b2e6c-0000-4000-8000-000000000001',
  privateKey: pair.privateKey,
  publicKey: pair.publicKey,
  pem: new Secret(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
};

/** A market as the exchange writes it. */
export function marketJson(ticker: string, over: object = {}): object {
  return {
    ...{ ticker, event_ticker: 'KXA-26', market_type: 'binary', title: ticker, yes_sub_title: 'Yes', status: 'active' },
    ...{ open_time: '2026-11-01T00:00:00Z', close_time: '2026-12-01T00:00:00Z', settlement_timer_seconds: 60 },
    ...{ latest_expiration_time: '2026-12-08T00:00:00Z', yes_bid_dollars: '0.4200', yes_ask_dollars: '0.4400' },
    ...{ no_bid_dollars: '0.5600', no_ask_dollars: '0.5800', last_price_dollars: '0.4300', volume_fp: '10.00' },
    ...{ volume_24h_fp: '1.00', open_interest_fp: '3.00', result: '', rules_primary: 'Rules.' },
    price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
    ...over,
  };
}
