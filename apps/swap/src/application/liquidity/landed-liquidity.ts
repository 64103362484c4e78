import {
  associatedTokenAddress,
  cpmmAddresses,
  isTokenProgram,
  type LandedTransaction,
  TOKEN_PROGRAM,
} from '@agent-wallet/solana';
import type { LiquidityPlan } from '../../domain/liquidity/liquidity.js';
import { isNative, type Token } from '../../domain/tokens.js';
import type { Direction } from './plan-message.js';

/**
 * Returns the base units of both tokens that left the wallet by a landed addition: what arrived in the pool's vaults, as
 * only mints without a fee are added.
 * @throws Error when the node does not report the balances
 */
export function arrivedInVaults(plan: LiquidityPlan, landed: LandedTransaction): bigint[] {
  return vaultsOf(plan).map((vault) => positive(unitsGained(vault, landed)));
}

/**
 * Returns the base units of both tokens that arrived in the wallet by a landed removal. The account of wrapped SOL is
 * closed at once, so that of SOL the pool's loss is what arrived.
 * @throws Error when the node does not report the balances
 */
export function arrivedInWallet(plan: LiquidityPlan, landed: LandedTransaction): bigint[] {
  const vaults = vaultsOf(plan);
  return plan.sides.map(({ token }, i) => {
    if (isNative(token)) return positive(-unitsGained(vaults[i]!, landed));
    return positive(unitsGained(ownAccount(plan, token), landed));
  });
}

/**
 * Returns the base units of liquidity tokens that a landed removal left in the wallet.
 * @throws Error when the node does not report the balance
 */
export function remainingAfter(plan: LiquidityPlan, { postTokenBalances }: LandedTransaction): bigint {
  const account = liquidityAccount(plan);
  const found = postTokenBalances.find((one) => one.account === account);
  if (!found) throw new Error('the node does not report the balance of liquidity tokens');
  return found.amount;
}

/** Returns the lamports that a landed transaction put into token accounts of the wallet that stay. */
export function rentPaid(direction: Direction, plan: LiquidityPlan, landed: LandedTransaction): bigint {
  const lasting = plan.sides.filter(({ token }) => !isNative(token)).map(({ token }) => ownAccount(plan, token));
  const accounts = direction === 'liquidity_add' ? [liquidityAccount(plan)] : lasting;
  return accounts.reduce((sum, account) => sum + lamportsGained(account, landed), 0n);
}

function liquidityAccount({ wallet, lpMint }: LiquidityPlan): string {
  return associatedTokenAddress({ owner: wallet, mint: lpMint, tokenProgram: TOKEN_PROGRAM });
}

function ownAccount({ wallet }: LiquidityPlan, { mint, tokenProgram }: Token): string {
  if (!isTokenProgram(tokenProgram)) throw new TypeError('a token belongs to one of the token programs');
  return associatedTokenAddress({ owner: wallet, mint, tokenProgram });
}

function lamportsGained(account: string, { addresses, preBalances, postBalances }: LandedTransaction): bigint {
  const at = addresses.indexOf(account);
  const [before, after] = [preBalances[at], postBalances[at]];
  if (before === undefined || after === undefined) throw new Error("the node does not report an account's lamports");
  return after - before;
}

function vaultsOf({ config, sides: [side0, side1] }: LiquidityPlan): readonly [string, string] {
  return cpmmAddresses({ config, mints: [side0!.token.mint, side1!.token.mint] }).vaults;
}

function unitsGained(account: string, { preTokenBalances, postTokenBalances }: LandedTransaction): bigint {
  const unitsIn = (balances: LandedTransaction['postTokenBalances']) =>
    balances.find((one) => one.account === account)?.amount;
  const after = unitsIn(postTokenBalances);
  if (after === undefined) throw new Error('the node does not report a balance of the pool or the wallet');
  return after - (unitsIn(preTokenBalances) ?? 0n);
}

function positive(units: bigint): bigint {
  if (units <= 0n) throw new Error('the balances do not show the movement');
  return units;
}
