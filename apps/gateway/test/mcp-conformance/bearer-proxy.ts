import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A proxy on the loopback interface. */
export interface BearerProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a proxy that adds a token, because the suite cannot send one. All else passes unchanged, `Host` included. */
export async function startBearerProxy(upstream: string, token: string): Promise<BearerProxy> {
  const { hostname, port } = new URL(upstream);
  const server = createServer((incoming, outgoing) => {
    const { method, url } = incoming;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const onward = request({ hostname, port, method, path: url, headers, agent: false }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers);
      outgoing.flushHeaders();
      pipeline(reply, outgoing).catch(() => onward.destroy());
    });
    // A side that hangs up ends the other.
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
