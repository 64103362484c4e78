/**
 * Networks of Solana that the service can run on. `localnet` is a validator of one's own, and `sandbox` this
 * repository's chain: money on both is worth nothing, and neither has a genesis hash that is known.
 */
export const SOLANA_NETWORKS = ['mainnet-beta', 'devnet', 'testnet', 'localnet', 'sandbox'] as const;

export type SolanaNetwork = (typeof SOLANA_NETWORKS)[number];

/** Reports whether tokens on a network are worth money. */
export function isRealMoney(network: SolanaNetwork): boolean {
  return network === 'mainnet-beta';
}

/** Reports whether a network can have an aggregator: no public one serves devnet or testnet. */
export function hasMarkets(network: SolanaNetwork): boolean {
  return network !== 'devnet' && network !== 'testnet';
}
