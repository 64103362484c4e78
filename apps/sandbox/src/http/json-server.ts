import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { z } from 'zod';
import { writeJson } from '../encoding/json.js';
import { JournalNotWritten } from '../journal/journal-not-written.js';
import { BodyTooLarge, readBody } from './read-body.js';
import { ReplyLost } from './reply-lost.js';

const BODY_LIMIT_BYTES = 1 << 20;
/** Clients on a busy machine reuse a connection late; one that is closed meanwhile fails their request. */
const KEEP_ALIVE_MS = 60_000;

/** A request to a JSON route, its body parsed already. */
export interface JsonRequest {
  readonly path: string;
  /** What `{name}` parts of the route's path stood for. */
  readonly names: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface JsonReply {
  readonly status?: number;
  /** Undefined: an answer without a body (204). */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One route: method, path (with `{name}` parts), and what answers it. */
export interface JsonRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly answer: (request: JsonRequest) => JsonReply | Promise<JsonReply>;
}

/** A request that cannot be served as it is: answered with `{error}`. */
export class BadRequest extends Error {
  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
    this.name = 'BadRequest';
  }
}

/** Reads a value by a schema. @throws BadRequest that names each field */
export function readBy<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((i) =>
    i.path.length > 0 ? `${i.path.join('.')}: ${i.message}` : i.message,
  );
  throw new BadRequest(problems.join('; '));
}

/** What is known of a request before its route is looked for. */
export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Looks at each request before its route does; a reply ends it, headers go on every answer, and errors are answered as
 * `failure` says.
 */
interface JsonServerOptions {
  readonly routes: readonly JsonRoute[];
  readonly before?: (request: RequestHead) => JsonReply | undefined | Promise<JsonReply | undefined>;
  readonly headers?: (status: number, request: RequestHead) => Readonly<Record<string, string>>;
  readonly failure?: (error: unknown) => JsonReply;
}

/** A small JSON server: errors are `{error}`, unknown paths 404, a known path by another method 405. */
export function createJsonServer(options: JsonServerOptions): Server {
  const routes = options.routes.map((route) => ({ ...route, parts: route.path.split('/') }));
  const server = createServer((request, response) => {
    void serve(request, response, { ...options, routes });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

type Compiled = JsonRoute & { readonly parts: readonly string[] };

type CompiledOptions = Omit<JsonServerOptions, 'routes'> & { readonly routes: readonly Compiled[] };

async function serve(request: IncomingMessage, response: ServerResponse, options: CompiledOptions): Promise<void> {
  let reply: JsonReply;
  const head = headOf(request);
  try {
    reply = await answer(request, head, options);
  } catch (error) {
    if (error instanceof ReplyLost) {
      response.destroy();
      return;
    }
    reply = (options.failure ?? failure)(error);
  }
  const text = reply.body === undefined ? '' : writeJson(reply.body);
  const status = reply.status ?? 200;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...options.headers?.(status, head),
    ...reply.headers,
  });
  response.end(text);
}

/** A target that is not a path is served like an unknown one. */
function headOf({ method = 'GET', url, headers }: IncomingMessage): RequestHead {
  const target = url !== undefined && URL.canParse(url, 'http://sandbox') ? url : '/';
  const { pathname, searchParams } = new URL(target, 'http://sandbox');
  return { method, path: pathname, query: searchParams, headers };
}

async function answer(
  request: IncomingMessage,
  head: RequestHead,
  { routes, before }: CompiledOptions,
): Promise<JsonReply> {
  const early = await before?.(head);
  if (early) return early;
  const { path, query, headers } = head;
  const parts = path.split('/');
  const found = routes.filter((route) => namesOf(route, parts) !== undefined);
  const route = found.find((r) => r.method === request.method);
  if (!route) throw found.length > 0 ? new BadRequest('method not allowed', 405) : new BadRequest('no such path', 404);
  const text = await readBody(request, BODY_LIMIT_BYTES);
  return route.answer({
    path,
    names: namesOf(route, parts)!,
    query,
    headers,
    body: parseBody(text),
  });
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequest('the body is not JSON');
  }
}

function namesOf(route: Compiled, parts: readonly string[]): Record<string, string> | undefined {
  if (route.parts.length !== parts.length) return undefined;
  const names: Record<string, string> = {};
  for (const [i, expected] of route.parts.entries()) {
    if (expected.startsWith('{')) names[expected.slice(1, -1)] = decodeURIComponent(parts[i]!);
    else if (expected !== parts[i]) return undefined;
  }
  return names;
}

function failure(error: unknown): JsonReply {
  if (error instanceof BadRequest) return { status: error.status, body: { error: error.message } };
  if (error instanceof BodyTooLarge) return { status: 413, body: { error: error.message } };
  if (error instanceof JournalNotWritten) return { status: 503, body: { error: error.message } };
  return { status: 500, body: { error: error instanceof Error ? error.message : 'internal error' } };
}
