/** Networks of Solana that the service can run on. `sandbox` is any chain of its own whose money is worth nothing. */
export const SOLANA_NETWORKS = ['mainnet-beta', 'devnet', 'testnet', 'sandbox'] as const;

export type SolanaNetwork = (typeof SOLANA_NETWORKS)[number];

/** Reports whether tokens on a network are worth money. */
export function isRealMoney(network: SolanaNetwork): boolean {
  return network === 'mainnet-beta';
}
