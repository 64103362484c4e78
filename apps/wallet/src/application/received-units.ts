import {
  associatedTokenAddress,
  isTokenProgram,
  type LandedTokenBalance,
  type LandedTransaction,
} from '@agent-wallet/solana';
import type { TransferPlan } from '../domain/transfer-plan.js';

/** Base units by which a transaction raised the balance of the recipient's token account. */
export function receivedOf(
  { preTokenBalances, postTokenBalances }: Pick<LandedTransaction, 'preTokenBalances' | 'postTokenBalances'>,
  recipient: string,
  { mint, tokenProgram }: TransferPlan,
): bigint {
  if (!isTokenProgram(tokenProgram)) throw new TypeError('only tokens have token accounts');
  const account = associatedTokenAddress({ owner: recipient, mint, tokenProgram });
  const amountIn = (balances: readonly LandedTokenBalance[]) =>
    balances.find((balance) => balance.account === account)?.amount;
  const after = amountIn(postTokenBalances);
  if (after === undefined) throw new Error("the node does not tell the recipient's balance");
  return after - (amountIn(preTokenBalances) ?? 0n);
}
