import { once } from '@agent-wallet/kernel';
import type { Logger, RunningService } from '@agent-wallet/platform';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { pourTestMoney } from './faucet.js';
import { securityHeaders } from './security-headers.js';

/** The configuration that the page reads at `/config.json`. */
export interface ConsoleConfig {
  readonly apiUrl: string;
  readonly network: string;
  /** Whether test money can be asked for. */
  readonly hasFaucet: boolean;
}

/** Facts about the deployment. They may be known only after the server listens. */
export interface ConsoleFacts {
  readonly apiUrl: string;
  readonly network: string;
  readonly sandboxAdminUrl: string | undefined;
}

/** A server of the console that listens. */
export interface RunningConsole extends RunningService {
  /** `host:port`. */
  readonly address: string;
}

/** Requests that take longer are cut off when it stops. */
const STOP_WITHIN_MS = 5_000;

/** The app as it was built for browsers. */
const FILES = fileURLToPath(new URL('../web/dist', import.meta.url));

/**
 * Serves the owners' console: files, its configuration, and test money in a sandbox. It holds no secret and calls no
 * service.
 * @param facts undefined while they are not known: `/config.json` is a 503
 */
export async function startConsole(
  { address, logger }: { readonly address: string; readonly logger: Logger },
  facts: () => ConsoleFacts | undefined,
): Promise<RunningConsole> {
  const files = sirv(FILES, { single: true, etag: true, brotli: true, gzip: true, setHeaders: cacheHeaders });
  const server = createServer((request, response) => {
    const known = facts();
    // A part of a small file is of no use, and sirv never answers a range that ends before it begins.
    delete request.headers.range;
    for (const [name, value] of Object.entries(securityHeaders(known?.apiUrl))) response.setHeader(name, value);
    void answer({ request, response, known }, () => files(request, response, () => notFound(response))).catch(
      (err: unknown) => {
        // A client that leaves in the middle of its request is not our failure.
        if (request.destroyed && !request.complete) return;
        logger.error({ event: 'console.request_failed', err }, 'Request failed');
        if (response.headersSent) response.destroy();
        else respond(response, 500, {});
      },
    );
  });
  await listen(server, address);
  const { port, address: host } = server.address() as AddressInfo;
  logger.info({ event: 'service.started', address: `${host}:${port}` }, 'Service listening');
  const stop = () =>
    new Promise<void>((resolve) => {
      const late = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
      server.close(() => {
        clearTimeout(late);
        resolve();
      });
      server.closeIdleConnections();
    });
  return { address: `${host}:${port}`, stop: once(stop) };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly known: ConsoleFacts | undefined;
}

async function answer({ request, response, known }: Asked, serveFile: () => void): Promise<void> {
  const [pathname] = (request.url ?? '/').split('?', 1);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (pathname === '/healthz' && isRead) return respond(response, 200, { status: 'ok' });
  if (pathname === '/config.json' && isRead) return respond(response, known ? 200 : 503, known ? configOf(known) : {});
  if (pathname === '/sandbox/faucet' && request.method === 'POST' && known?.sandboxAdminUrl !== undefined) {
    return respond(response, await pourTestMoney(request, known.sandboxAdminUrl), {});
  }
  if (!isRead) return respond(response, 405, {});
  serveFile();
}

function configOf({ apiUrl, network, sandboxAdminUrl }: ConsoleFacts): ConsoleConfig {
  return { apiUrl, network, hasFaucet: sandboxAdminUrl !== undefined };
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

function notFound(response: ServerResponse): void {
  respond(response, 404, {});
}

/** Files with a hash in their name never change; the page itself is asked for each time. */
function cacheHeaders(response: ServerResponse, pathname: string): void {
  const isHashed = pathname.startsWith('/assets/');
  response.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
}

function listen(server: ReturnType<typeof createServer>, address: string): Promise<void> {
  const { hostname, port } = new URL(`http://${address}`);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // URL leaves out the port that http has by default.
    server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ''), () => {
      server.off('error', reject);
      resolve();
    });
  });
}
