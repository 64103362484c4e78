import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Listens and answers the port, which the system picks when 0 is asked for. @throws Error that names the port */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`)));
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
