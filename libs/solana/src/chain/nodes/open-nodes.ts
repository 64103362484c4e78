import { type Clock, sleep, systemClock } from '@agent-wallet/kernel';
import { openSolanaChain, type SolanaChainOptions } from '../open-solana-chain.js';
import type { SolanaChain } from '../solana-chain.js';
import { type SendLog, withSenders } from './further-senders.js';
import type { NodeHealth } from './node-health.js';
import { SeveralNodes } from './several-nodes.js';

/** Connection options of nodes that answer together. */
export interface NodesOptions extends Omit<SolanaChainOptions, 'rpcUrl'> {
  /** JSON-RPC over http or https, at least one. May contain secrets: they are never put into errors. */
  readonly rpcUrls: readonly string[];
  /** Endpoints that also get each transaction that is sent, and nothing else. May contain secrets, too. */
  readonly sendUrls?: readonly string[];
  /** Log of sends to `sendUrls` that failed. */
  readonly sendLog?: SendLog;
  /** Metrics of each of several nodes. */
  readonly health?: NodeHealth;
  readonly clock?: Clock;
}

/** Opens the door to one node, or to several that answer by quorum. @throws TypeError when a URL is not http(s) */
export function openNodes(options: NodesOptions): SolanaChain {
  const { rpcUrls, sendUrls = [], sendLog, health, clock = systemClock, ...rest } = options;
  const open = (rpcUrl: string) => openSolanaChain({ rpcUrl, clock, ...rest });
  const nodes = rpcUrls.map(open);
  const chain = nodes.length === 1 ? nodes[0]! : new SeveralNodes(nodes, clock, sleep, health);
  if (sendUrls.length === 0) return chain;
  const senders = sendUrls.map((url) => ({ host: new URL(url).hostname, chain: open(url) }));
  return withSenders(chain, senders, sendLog);
}
