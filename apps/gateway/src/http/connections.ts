import { AppError } from '@agent-wallet/kernel';
import { ATTRIBUTES, count, METRICS } from '@agent-wallet/telemetry';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from '../domain/client-network.js';
import type { ConnectionLimits } from '../domain/connection-limits.js';
import { isOnList, proxyList } from '../domain/proxies.js';
import { answerRaw } from './http-server.js';

/**
 * Bounds the open connections of a server, in all and for each network, by the address of the socket. A request takes
 * up to ten seconds to arrive, and is counted by the rate limits only then: without a bound one network could hold every
 * connection that the process may have. A trusted proxy has the connections of many clients, and its own bounds. A
 * connection over the total is closed by Node before anything of it is read; one over its network's share gets a 503.
 */
export function boundConnections(server: Server, limits: ConnectionLimits, trustedProxies: readonly string[]): Server {
  const proxies = proxyList(trustedProxies);
  const open = new Map<string, number>();
  server.maxConnections = limits.total;
  server.on('drop', () => countRefused('total'));
  const serve = server.listeners('connection') as Array<(socket: Socket) => void>;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address !== undefined && !isOnList(proxies, address) && !take(open, socket, limits.perNetwork)) {
      countRefused('network');
      refuse(socket);
      return;
    }
    for (const each of serve) each.call(server, socket);
  });
  return server;
}

/** Counts a connection for its network until it is closed, if there is room. */
function take(open: Map<string, number>, socket: Socket, limit: number): boolean {
  const network = clientNetwork(socket.remoteAddress ?? '');
  const before = open.get(network) ?? 0;
  if (before >= limit) return false;
  open.set(network, before + 1);
  socket.once('close', () => {
    const left = (open.get(network) ?? 0) - 1;
    if (left > 0) open.set(network, left);
    else open.delete(network);
  });
  return true;
}

function refuse(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  answerRaw(socket, new AppError('SERVICE_UNAVAILABLE', { message: 'Too many open connections from this network.' }));
}

function countRefused(bound: 'total' | 'network'): void {
  count(METRICS.connectionsRefused, { service: 'gateway', attributes: { [ATTRIBUTES.bound.name]: bound } });
}
