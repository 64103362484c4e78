import type { SolanaNetwork } from '@agent-wallet/kernel';
import type { Logger } from '@agent-wallet/platform';
import type { WalletService } from '../ports/services.js';

/**
 * Creates a check of readiness: the wallet service moves money on the network that this gateway names to its callers.
 * The wallet service has compared its own with the chain.
 * @returns rejects on another network, and while the wallet service is away
 */
export function verifyWalletNetwork(
  expected: SolanaNetwork,
  wallet: Pick<WalletService, 'network'>,
  logger: Logger,
): () => Promise<void> {
  return async () => {
    const found = await wallet.network();
    if (found === expected) return;
    logger.error(
      { event: 'network.mismatched', network: expected, walletNetwork: found },
      'Not ready: SOLANA_NETWORK differs from the wallet service',
    );
    throw new Error(`SOLANA_NETWORK is ${expected}, but the wallet service is on ${found}`);
  };
}
