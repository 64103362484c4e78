import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the service got it. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** An answer; undefined for none, so that the request stays open. */
export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly message?: string;
  /** Whether it is of another service, which has no envelope. */
  readonly isPlain?: boolean;
}

type Script = (request: Request) => Answer | undefined;

/** A service that answers as a test says. */
export class ScriptedApi {
  readonly requests: Request[] = [];
  answer: Script = () => failed(404, 'NOT_FOUND');
  #onRequest: () => void = () => undefined;

  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<ScriptedApi> {
    const api = new ScriptedApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  script(answer: Script): void {
    this.requests.length = 0;
    this.answer = answer;
  }

  /** Resolves at the next request. */
  nextRequest(): Promise<void> {
    return new Promise((resolve) => (this.#onRequest = resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const got = { method, path, headers, body: Buffer.concat(chunks).toString() };
    this.requests.push(got);
    const answer = this.answer(got);
    this.#onRequest();
    if (!answer) return;
    const { status, data, message = 'Said by the service.', isPlain = false } = answer;
    const body = isPlain ? data : { status: status < 400, statusCode: status, message, data };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

/** A failure with this code. */
export function failed(status: number, code: string, more: object = {}): Answer {
  const retry = status >= 500 || status === 429 ? 'same_key' : 'never';
  const data = { requestId: 'r', retryable: retry !== 'never', retry, retryAt: null, suggestion: null, code, ...more };
  return { status, data };
}

/** A success with this data. */
export function done(data: unknown, status = 200): Answer {
  return { status, data };
}

/** A session token of an agent. */
export function tokenOf(agentId: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'ES256' })}.${part({ sub: agentId })}.signature`;
}
