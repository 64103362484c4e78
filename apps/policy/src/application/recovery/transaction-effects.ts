import { SOL_DECIMALS } from '@agent-wallet/kernel';
import { type LandedTransaction, WRAPPED_SOL_MINT } from '@agent-wallet/solana';

/** So much of one token that left a wallet. */
export interface Loss {
  readonly mint: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
}

/**
 * Returns the balances that a wallet lost in a transaction, the network fee included. Incoming tokens do not offset
 * losses, except that SOL and wrapped SOL are one. Undefined where the node does not name the owner of an account.
 */
export function lossesOf(tx: LandedTransaction, wallet: string): Loss[] | undefined {
  const { preTokenBalances, postTokenBalances } = tx;
  if (preTokenBalances.some(({ owner }) => owner === null)) return undefined;
  const losses = new Map<string, Loss>();
  const lose = ({ mint, amount, decimals }: Loss) =>
    losses.set(mint, { mint, decimals, amount: (losses.get(mint)?.amount ?? 0n) + amount });
  lose({ mint: WRAPPED_SOL_MINT, amount: lamportsLost(tx, wallet), decimals: SOL_DECIMALS });
  for (const { mint, amount, decimals, owner } of preTokenBalances) {
    if (owner === wallet) lose({ mint, amount, decimals });
  }
  for (const { mint, amount, decimals, owner } of postTokenBalances) {
    if (owner === wallet) lose({ mint, amount: -amount, decimals });
  }
  return [...losses.values()].filter(({ amount }) => amount > 0n);
}

/** Lamports that an address has less of; negative when it has more. */
export function lamportsLost({ addresses, preBalances, postBalances }: LandedTransaction, address: string): bigint {
  const at = addresses.indexOf(address);
  return at === -1 ? 0n : preBalances[at]! - postBalances[at]!;
}

/** Returns the base58 addresses of the signers. */
export function signersOf({ addresses, signatures }: LandedTransaction): readonly string[] {
  return addresses.slice(0, signatures.length);
}

/** Owners of token accounts that have more than before. */
export function receiversOf({ preTokenBalances, postTokenBalances }: LandedTransaction): string[] {
  return postTokenBalances.flatMap(({ account, amount, owner }) => {
    const before = preTokenBalances.find((balance) => balance.account === account)?.amount ?? 0n;
    return owner !== null && amount > before ? [owner] : [];
  });
}
