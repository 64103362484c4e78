import { expect } from '@jest/globals';
import { request } from 'node:http';

/** An answer, as text and as JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Parsed; undefined when it is not JSON. Tests compare fields, so a missing one fails there. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** How a request differs from a plain one. */
export interface CallOptions {
  readonly body?: unknown;
  /** Bytes to send as they are, instead of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Breaks the connection. */
  readonly signal?: AbortSignal;
}

/** Calls a gateway over HTTP. */
export class Client {
  constructor(
    readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** The same with a token. */
  as(token: string): Client {
    return new Client(this.url, { ...this.headers, authorization: `Bearer ${token}` });
  }

  /** The same as the proxy shows a client address. */
  from(address: string): Client {
    return new Client(this.url, { ...this.headers, 'x-forwarded-for': address });
  }

  /** The same against another gateway. */
  at(url: string): Client {
    return new Client(url, this.headers);
  }

  get(path: string, options: CallOptions = {}): Promise<Reply> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, headers: CallOptions['headers'] = {}): Promise<Reply> {
    return this.call('POST', path, { body, headers });
  }

  patch(path: string, body: unknown): Promise<Reply> {
    return this.call('PATCH', path, { body });
  }

  delete(path: string): Promise<Reply> {
    return this.call('DELETE', path, {});
  }

  transfer(body: unknown, key?: string): Promise<Reply> {
    return this.post('/wallets/me/actions/transfer', body, key === undefined ? {} : { 'idempotency-key': key });
  }

  call(method: string, path: string, { body, raw, headers, signal }: CallOptions): Promise<Reply> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    // Node sends the body of a DELETE without its length.
    const sized = method === 'DELETE' && sent !== undefined ? { 'content-length': String(sent.length) } : {};
    const typed = sent === undefined ? {} : { 'content-type': 'application/json', ...sized };
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.url);
      const outgoing = request(
        { hostname, port, method, path, agent: false, headers: { ...typed, ...this.headers, ...headers }, signal },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: asJson(text) });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(sent);
    });
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The second answer is the first once more. */
export function expectReplayed(first: Reply, second: Reply): void {
  expect([second.status, second.headers['idempotency-status']]).toEqual([first.status, 'cached']);
  expect(second.text).toBe(first.text);
}
