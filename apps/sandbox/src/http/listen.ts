import type { AddressInfo, Server } from 'node:net';

/** Listens and answers the port, which the system picks when 0 is asked for. @throws Error that names the port */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Stops listening and ends what is open. */
export async function close(server: Server & { closeAllConnections?: () => void }): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections?.();
  });
}
