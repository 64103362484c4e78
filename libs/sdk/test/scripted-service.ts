import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the service got it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answer to a request, or its loss. */
export type Reply = (response: ServerResponse, seen: Seen) => void;

/** A service that does what a test says, request by request; the last reply stays. */
export class ScriptedService {
  readonly seen: Seen[] = [];
  replies: Reply[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<ScriptedService> {
    const service = new ScriptedService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what was seen, and begins another script. */
  script(...replies: Reply[]): void {
    this.seen.length = 0;
    this.replies = replies;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const seen = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.seen.push(seen);
    const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
    if (!reply) throw new Error(`no reply for ${method} ${path}`);
    reply(response, seen);
  }
}

/** A success with this data. */
export const success =
  (data: object, statusCode = 200): Reply =>
  (response) =>
    send(response, statusCode, { status: true, statusCode, message: 'OK.', data });

/** A failure with this code. */
export const failure =
  (
    statusCode: number,
    data: { readonly code: string; readonly retry: string; readonly transactionId?: string },
    headers = {},
  ): Reply =>
  (response) =>
    send(
      response,
      statusCode,
      {
        status: false,
        statusCode,
        message: `${data.code}.`,
        data: { requestId: 'r', retryable: data.retry !== 'never', retryAt: null, suggestion: null, ...data },
      },
      headers,
    );

/** An answer of something between client and service. */
export const strange =
  (statusCode: number, text: string): Reply =>
  (response) => {
    response.writeHead(statusCode, { 'content-type': 'text/html' }).end(text);
  };

/** An answer without the envelope of the service. */
export const plain =
  (statusCode: number, body: object): Reply =>
  (response) =>
    send(response, statusCode, body);

/** A connection that is cut before the answer. */
export const cut: Reply = (response) => response.destroy();

/** An answer that breaks off in its middle. */
export const half: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"status":true,');
  setImmediate(() => response.destroy());
};

/** The way to another address, which answers like the service. */
export const redirect: Reply = (response) => {
  response.writeHead(307, { location: '/elsewhere' }).end();
};

/** No answer at all. */
export const silence: Reply = () => undefined;

function send(response: ServerResponse, statusCode: number, body: object, headers = {}): void {
  response.writeHead(statusCode, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A session token of an agent. */
export function tokenOf(agentId: string, tokenId?: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'ES256' })}.${part({ sub: agentId, tid: tokenId })}.signature`;
}
