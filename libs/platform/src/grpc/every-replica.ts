import type { ServiceDefinition } from '@grpc/grpc-js';
import { lookup } from 'node:dns/promises';
import { openRpcClient, type PeerOptions, type RpcClient } from './client.js';

/** Responses of a service's replicas, in no order. */
export interface ReplicaResponses<Answer> {
  readonly answers: readonly Answer[];
  /** Errors of the replicas that did not respond, one each. */
  readonly failures: readonly unknown[];
}

/** Asks replicas one by one, where a client asks them by turns. */
export interface EveryReplica<S extends ServiceDefinition> {
  /**
   * Asks all of them at once. One that is away or hangs fails by the call's own deadline, and does not delay the others.
   */
  ask<Answer>(call: (replica: RpcClient<S>) => Promise<Answer>): Promise<ReplicaResponses<Answer>>;
  close(): void;
}

const LIST = /^ipv[46]:(?=.+:\d+$)/;
const ONE = /^(\d+(\.\d+){3}|\[[^\]]+\]):\d+$/;
const IPV4 = 4;

/** Resolves a peer's address to all its current addresses. @throws Error when its name cannot be resolved */
export async function replicaAddresses(address: string): Promise<readonly string[]> {
  if (LIST.test(address)) return address.replace(LIST, '').split(',');
  if (ONE.test(address)) return [address];
  const { host, port } = /^(dns:)?(?<host>.+):(?<port>\d+)$/.exec(address)!.groups as { host: string; port: string };
  const found = await lookup(host, { all: true });
  // A replica with an address of each family is one replica.
  const ipv4 = found.filter(({ family }) => family === IPV4);
  return ipv4.length > 0
    ? ipv4.map(({ address: ip }) => `${ip}:${port}`)
    : found.map(({ address: ip }) => `[${ip}]:${port}`);
}

/** Opens a channel to every replica of a service; who they are is looked up at each question. */
export function openEveryReplica<S extends ServiceDefinition>(options: PeerOptions<S>): EveryReplica<S> {
  const clients = new Map<string, RpcClient<S>>();
  const clientOf = (address: string) => {
    const known = clients.get(address) ?? openRpcClient({ ...options, peer: { ...options.peer, address } });
    clients.set(address, known);
    return known;
  };
  return {
    ask: async (call) => {
      const addresses = new Set(await replicaAddresses(options.peer.address));
      const results = await Promise.allSettled([...addresses].map((address) => call(clientOf(address))));
      for (const [address, client] of clients) {
        if (addresses.has(address)) continue;
        clients.delete(address);
        client.close();
      }
      return {
        answers: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
        failures: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])),
      };
    },
    close: () => {
      clients.forEach((client) => client.close());
      clients.clear();
    },
  };
}
