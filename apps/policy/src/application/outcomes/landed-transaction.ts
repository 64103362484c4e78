import { isUnsupportedVersion, type LandedTransaction, type SolanaChain } from '@agent-wallet/solana';

/**
 * Reads a finalized transaction: null where the node does not show it, `not_ours` for a version that the signer never
 * signs. Anyone can name a wallet in one of those.
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

/** The clocks of the chain and of this server may differ by so much. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Returns the block time that a node reports, in Unix milliseconds; null where the node has none or it lies in the
 * future. A node that reports another unit gives a year that no date holds.
 */
export function landingTimeMs(blockTimeMs: number | null, nowMs: number): number | null {
  return blockTimeMs !== null && blockTimeMs <= nowMs + CLOCK_TOLERANCE_MS ? blockTimeMs : null;
}
