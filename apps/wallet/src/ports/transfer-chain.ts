import type { SolanaChain } from '@agent-wallet/solana';

/** What a transfer reads from the chain. */
export type TransferChain = Pick<SolanaChain, 'accounts' | 'latestBlockhash' | 'mint' | 'rentExemptMinimumLamports'>;
