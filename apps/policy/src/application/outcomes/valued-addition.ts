import type { LandedTransaction, SolanaChain } from '@agent-wallet/solana';
import type { Addition, Attempt, Finding, Settled } from '../../domain/attempt.js';

/** Age from which an addition counts in full if no node shows its transaction, in milliseconds. */
const COUNT_IN_FULL_AFTER_MS = 10 * 60_000;

/**
 * Adds to the landing of an addition of liquidity the value that left, by what arrived in the pool's vaults: open while no
 * node shows the transaction, as one may lag. Leaves other landings as they are.
 */
export async function valued(
  chain: Pick<SolanaChain, 'transaction'>,
  { addition, ageMs }: Attempt,
  { signature, found }: { readonly signature: string; readonly found: Settled },
): Promise<Finding> {
  if (!addition) return found;
  const landed = await chain.transaction(signature, 'confirmed');
  if (landed) return { ...found, valueUsdMicros: valueThatLeft(addition, landed) };
  return ageMs < COUNT_IN_FULL_AFTER_MS ? { state: 'open' } : found;
}

/** Returns the value that left, each side rounded up. Bounded by what was reserved, for any answer of a node. */
function valueThatLeft({ vaults, maxima, usdMicros }: Addition, landed: LandedTransaction): bigint {
  const values = vaults.map((vault, i) => {
    const balance = (balances: LandedTransaction['postTokenBalances']) =>
      balances.find(({ account }) => account === vault)?.amount ?? 0n;
    const arrived = balance(landed.postTokenBalances) - balance(landed.preTokenBalances);
    const [max, usd] = [maxima[i]!, usdMicros[i]!];
    if (arrived <= 0n || arrived >= max) return usd;
    return (usd * arrived + max - 1n) / max;
  });
  return values.reduce((sum, value) => sum + value, 0n);
}
