import { type Clock, systemClock } from '@agent-wallet/kernel';
import { openSolanaChain, type SolanaChainOptions } from '../open-solana-chain.js';
import type { SolanaChain } from '../solana-chain.js';
import { SeveralNodes } from './several-nodes.js';

/** Connection options of nodes that answer together. */
export interface NodesOptions extends Omit<SolanaChainOptions, 'rpcUrl'> {
  /** JSON-RPC over http or https, at least one. May contain secrets: they are never put into errors. */
  readonly rpcUrls: readonly string[];
  readonly clock?: Clock;
}

/** Opens the door to one node, or to several that answer by quorum. @throws TypeError when a URL is not http(s) */
export function openNodes({ rpcUrls, clock = systemClock, ...options }: NodesOptions): SolanaChain {
  const nodes = rpcUrls.map((rpcUrl) => openSolanaChain({ rpcUrl, clock, ...options }));
  return nodes.length === 1 ? nodes[0]! : new SeveralNodes(nodes, clock);
}
