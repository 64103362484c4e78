import { systemClock } from '@agent-wallet/kernel';
import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Below the ports that systems give to outgoing connections: a client must not sit on the port of a server that is away.
 */
const PORTS = { from: 12_000, to: 32_000 } as const;

/** A found port is not found again by another process for this long: its server may take a moment to listen. */
const CLAIM_MS = 60_000;

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
    if (claim(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
}

/** Returns one free port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** Claims a port among the processes of this user. Returns false where another one claimed it a short time ago. */
function claim(port: number): boolean {
  const folder = path.join(tmpdir(), `agent-wallet-ports-${process.getuid?.() ?? 0}`);
  const file = path.join(folder, String(port));
  try {
    mkdirSync(folder, { recursive: true });
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    // Where nothing can be claimed, a free port is still a good guess.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
  }
  const now = systemClock.nowMs();
  if (statSync(file).mtimeMs > now - CLAIM_MS) return false;
  utimesSync(file, now / 1_000, now / 1_000);
  return true;
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
