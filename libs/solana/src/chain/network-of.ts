import type { SolanaNetwork } from '@agent-wallet/kernel';
import { openJsonRpc } from './json-rpc.js';
import { readText } from './shapes.js';

/** Hashes of the first blocks of the public networks. They never change. */
const PUBLIC_NETWORKS: ReadonlyMap<string, SolanaNetwork> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', 'mainnet-beta'],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', 'devnet'],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'testnet'],
]);

const TIMEOUT_MS = 5_000;

/**
 * Returns the network that a node belongs to, by its genesis hash. The chain of a local validator, or of the sandbox, has
 * a hash of its own: it is what the settings call it.
 * @param expected network of the settings
 * @param rpcUrl JSON-RPC over http or https. May contain a secret: it is never put into errors.
 * @throws AppError UPSTREAM_ERROR, UPSTREAM_TIMEOUT
 */
export async function networkOf(rpcUrl: string, expected: SolanaNetwork): Promise<SolanaNetwork> {
  const rpc = openJsonRpc({ url: rpcUrl, timeoutMs: TIMEOUT_MS });
  try {
    const hash = await rpc.call('getGenesisHash', [], (result) => readText(result, 'the genesis hash'));
    return PUBLIC_NETWORKS.get(hash) ?? (expected === 'sandbox' ? 'sandbox' : 'localnet');
  } finally {
    rpc.close();
  }
}
