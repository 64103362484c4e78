import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of an emulator. */
export interface EmulatorServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** What an emulator answers; `never` leaves the caller waiting, `endless` writes until it hangs up. */
export type EmulatorResponse =
  | { readonly status?: number; readonly body: Uint8Array | string; readonly headers?: Record<string, string> }
  | 'never'
  | 'endless';

/** Serves an emulator on a free port of this machine, or on a Unix socket. */
export async function serveEmulator(
  answer: (request: http.IncomingMessage, body: Buffer) => EmulatorResponse,
  socketPath?: string,
): Promise<EmulatorServer> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => write(response, answer(request, Buffer.concat(parts))));
  });
  await new Promise<void>((resolve) =>
    socketPath ? server.listen(socketPath, resolve) : server.listen(0, '127.0.0.1', resolve),
  );
  const url = socketPath ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, stop };
}

function write(response: http.ServerResponse, answer: EmulatorResponse): void {
  if (answer === 'never') return;
  if (answer === 'endless') {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 0x20)));
    };
    response.on('drain', more);
    return more();
  }
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status ?? 200, { 'content-length': body.length, ...answer.headers }).end(body);
}
