import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { AppError } from '@agent-wallet/kernel';

/** Connection options of a node. */
export interface EndpointOptions {
  /** http or https; may contain a secret, so it is never put into errors. */
  readonly url: string;
  /** Time limit of one call in all, in milliseconds. */
  readonly timeoutMs: number;
  /** Connections kept open to the node; further calls wait for one. Default 64. */
  readonly maxConnections?: number;
}

/** Posts JSON texts to one URL over kept-alive connections. `node:http` costs a third of what `fetch` costs. */
interface Endpoint {
  /** Posts the body and returns the text of a 200 response. @throws AppError UPSTREAM_TIMEOUT or UPSTREAM_ERROR */
  post(body: string): Promise<string>;
  close(): void;
}

/** An answer of the node with another HTTP status than 200. Found as the `cause` of the AppError. */
export class HttpStatusError extends Error {
  constructor(
    readonly status: number,
    /** Pause for which the node asked, in milliseconds; 0 for none. */
    readonly retryAfterMs = 0,
  ) {
    super(`the node answered with HTTP status ${status}`);
    this.name = 'HttpStatusError';
  }
}

/** The node did not answer in time. Found as the `cause` of the AppError. */
class NoResponseInTime extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'NoResponseInTime';
  }
}

/** A node is asked again at the latest after so long. */
const LONGEST_PAUSE_MS = 30_000;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Prepares an endpoint; nothing is sent before the first post. @throws TypeError when the URL is not http(s) */
export function openEndpoint({ url, timeoutMs, maxConnections = 64 }: EndpointOptions): Endpoint {
  // The error of `new URL` would carry the text.
  if (!URL.canParse(url)) throw new TypeError('the address of the node is not a URL');
  const target = new URL(url);
  const isSecure = target.protocol === 'https:';
  if (!isSecure && target.protocol !== 'http:') throw new TypeError('the node must be reached by http or https');
  const agentOptions = { keepAlive: true, maxSockets: maxConnections, scheduling: 'lifo' as const };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const options = { ...urlToHttpOptions(target), method: 'POST', agent };
  const start = (body: string): ClientRequest => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return (isSecure ? httpsRequest : httpRequest)({ ...options, headers });
  };
  let paused: { readonly untilMs: number; readonly reason: HttpStatusError } | undefined;
  return {
    post: async (body) => {
      const startedAtMs = performance.now();
      // Calls beyond a node's limit would extend it.
      if (paused && startedAtMs < paused.untilMs) throw new AppError('UPSTREAM_ERROR', { cause: paused.reason });
      const deadlineMs = startedAtMs + timeoutMs;
      try {
        return await exchange(start(body), body, timeoutMs).catch((error: unknown) => {
          // A kept-alive connection that the node closed as we wrote: our request got no answer, so once more.
          if (!(error instanceof StaleConnection)) throw error;
          return exchange(start(body), body, Math.max(1, deadlineMs - performance.now()));
        });
      } catch (error) {
        if (error instanceof HttpStatusError && error.retryAfterMs > 0) {
          paused = { untilMs: performance.now() + error.retryAfterMs, reason: error };
        }
        throw new AppError(error instanceof NoResponseInTime ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

class StaleConnection extends Error {}

function exchange(request: ClientRequest, body: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => request.destroy(new NoResponseInTime(timeoutMs)), timeoutMs);
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
    };
    request.once('error', fail);
    request.once('response', (response) => {
      readBody(response).then((text) => {
        clearTimeout(timer);
        resolve(text);
      }, fail);
    });
    request.end(body);
  });
}

function readBody(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) response.destroy(new Error('the answer is too large'));
      else chunks.push(chunk);
    });
    response.once('error', reject);
    // A connection that breaks off in the middle closes without an end.
    response.once('close', () => reject(new Error('the answer broke off')));
    response.once('end', () => {
      if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new HttpStatusError(response.statusCode ?? 0, retryAfterMs(response.headers['retry-after'])));
    });
  });
}

/** Returns the pause that a header asks for, which is bounded: a node that asks for hours would be lost. */
function retryAfterMs(header: string | undefined): number {
  const seconds = /^\d{1,9}$/.test(header ?? '') ? Number(header) : 0;
  return Math.min(seconds * 1_000, LONGEST_PAUSE_MS);
}
