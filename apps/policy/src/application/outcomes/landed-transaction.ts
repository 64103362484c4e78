import { isUnsupportedVersion, type LandedTransaction, type SolanaChain } from '@agent-wallet/solana';

/**
 * A finalized transaction: null where the node does not show it, `not_ours` where it is of a version that the signer signs
 * nothing of. Anyone can name a wallet in one of those.
 * @throws AppError of the chain
 */
export async function landedTransaction(
  chain: Pick<SolanaChain, 'transaction'>,
  signature: string,
): Promise<LandedTransaction | 'not_ours' | null> {
  try {
    return await chain.transaction(signature, 'finalized');
  } catch (error) {
    if (isUnsupportedVersion(error)) return 'not_ours';
    throw error;
  }
}
