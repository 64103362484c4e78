import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/**
 * Waits until no client has a connection any more, or the time is over. While the gateway is stopping every answer says
 * that its connection ends, so that clients in the middle of their work leave by themselves; an idle connection that is
 * cut may be the one on which a request is arriving, which is lost then.
 */
export async function drain(server: Server, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (performance.now() < untilMs && (await connectionsOf(server)) > 0) await pause(LOOK_EVERY_MS);
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}
