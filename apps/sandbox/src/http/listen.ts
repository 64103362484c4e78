import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A part of the sandbox cannot listen. */
export class CannotListen extends Error {
  /** @param variable the setting that chooses another port */
  constructor(variable: string, { code, message }: NodeJS.ErrnoException, where: { host: string; port: number }) {
    const remedy = `Stop the program that listens there, or set ${variable} to a free port.`;
    super(
      code === 'EADDRINUSE'
        ? `${variable}: port ${where.port} is in use. ${remedy}`
        : `${variable}: cannot listen on ${where.host}:${where.port} (${message})`,
    );
    this.name = 'CannotListen';
  }
}

/**
 * Listens and returns the port, which the system picks when 0 is asked for.
 * @param variable the setting that the port is from
 * @throws CannotListen
 */
export async function listen(
  server: Server,
  { host, port, variable }: { readonly host: string; readonly port: number; readonly variable: string },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CannotListen(variable, error, { host, port })));
    server.listen(port, host, resolve);
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
