import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: a client must not sit on the port of a server that is away.
 */
const PORTS = { from: 12_000, to: 32_000 } as const;

/** Port that is tried next: each process begins somewhere, and gives none twice until it has been round. */
let next: number = randomInt(PORTS.from, PORTS.to);

function nextPort(): number {
  const port = next;
  next = port + 1 < PORTS.to ? port + 1 : PORTS.from;
  return port;
}

/** Ports on the loopback interface without a listener, for a server that comes back at the same place. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = nextPort();
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

/** Returns one free port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isOurs = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (isOurs) await new Promise((resolve) => server.close(resolve));
  return isOurs;
}
