import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Where a part of the sandbox listens. */
interface Listening {
  readonly host: string;
  readonly port: number;
  /** The setting that chooses another port. */
  readonly variable: string;
  /** What the port is for, where the variable alone does not say it. */
  readonly purpose?: string;
}

/** A part of the sandbox cannot listen. */
export class CannotListen extends Error {
  constructor({ host, port, variable, purpose }: Listening, { code, message }: NodeJS.ErrnoException) {
    const remedy = `Stop the program that listens there, or set ${variable} to a free port.`;
    const what = purpose === undefined ? '' : ` (${purpose})`;
    super(
      code === 'EADDRINUSE'
        ? `${variable}: port ${port}${what} is in use. ${remedy}`
        : `${variable}: cannot listen on ${host}:${port}${what}: ${message}`,
    );
    this.name = 'CannotListen';
  }
}

/** Listens and returns the port, which the system picks for 0. @throws CannotListen */
export async function listen(server: Server, listening: Listening): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CannotListen(listening, error)));
    server.listen(listening.port, listening.host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** How long requests that are being served may take to end. */
const GRACE_MS = 1_000;

/** Stops listening, lets what is being served end, and cuts what does not. */
export async function close(server: HttpServer): Promise<void> {
  if (!server.listening) return;
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(cut);
}
