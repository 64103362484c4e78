import { baseUnits } from '@agent-wallet/kernel';
import type { LandedTokenBalance, LandedTransaction } from '@agent-wallet/solana';
import { isNative } from '../domain/tokens.js';
import type { Sides } from '../domain/trade-sides.js';
import type { Traded } from '../domain/trade.js';
import { type OwnAccounts, ownAccountsOf } from './own-accounts.js';

/**
 * Returns the amounts that a wallet really lost and gained by a landed trade. For the native coin, that is the joint
 * change of all its accounts of the trade, without the network's costs. Rent that moves between them is neither lost
 * nor gained. Nor are lamports that lay at the address of an account that another payer made.
 * @param tipLamports what the message gives away besides, to be landed
 * @throws Error when the node does not report the balances
 */
export function landedAmounts(sides: Sides, landed: LandedTransaction, tipLamports: bigint): Traded {
  const own = ownAccountsOf(sides);
  const nativeGain = () => lamportsGained(own, landed) + costOf(sides.wallet, landed) + tipLamports;
  const spent = isNative(sides.input) ? -nativeGain() : -unitsGained(own.input, landed);
  const gained = isNative(sides.output) ? nativeGain() : unitsGained(own.output, landed);
  if (spent <= 0n || gained <= 0n) throw new Error('the balances do not show a trade');
  return { inputAmount: baseUnits(spent), outputAmount: baseUnits(gained) };
}

function costOf(wallet: string, { addresses, feeLamports }: LandedTransaction): bigint {
  return addresses[0] === wallet ? feeLamports : 0n;
}

function lamportsGained(own: OwnAccounts, landed: LandedTransaction): bigint {
  const { addresses, preBalances, postBalances, preTokenBalances } = landed;
  const isOwn = (address: string) =>
    address === own.wallet ||
    addresses[0] === own.wallet ||
    preTokenBalances.some(({ account }) => account === address);
  return [...new Set([own.wallet, own.input, own.output])]
    .map((address) => ({ address, at: addresses.indexOf(address) }))
    .filter(({ at }) => at >= 0)
    .reduce((sum, { address, at }) => sum + postBalances[at]! - (isOwn(address) ? preBalances[at]! : 0n), 0n);
}

function unitsGained(account: string, { preTokenBalances, postTokenBalances }: LandedTransaction): bigint {
  const unitsIn = (balances: readonly LandedTokenBalance[]) => balances.find((one) => one.account === account)?.amount;
  const after = unitsIn(postTokenBalances);
  const before = unitsIn(preTokenBalances);
  if (after === undefined && before === undefined) throw new Error("the node does not report the wallet's balance");
  return (after ?? 0n) - (before ?? 0n);
}
