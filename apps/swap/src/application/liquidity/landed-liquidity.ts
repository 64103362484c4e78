import { associatedTokenAddress, cpmmAddresses, isTokenProgram, type LandedTransaction } from '@agent-wallet/solana';
import type { LiquidityPlan } from '../../domain/liquidity/liquidity.js';
import { isNative } from '../../domain/tokens.js';

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
    if (!isTokenProgram(token.tokenProgram)) throw new TypeError('a token belongs to one of the token programs');
    const own = { owner: plan.wallet, mint: token.mint, tokenProgram: token.tokenProgram };
    return positive(unitsGained(associatedTokenAddress(own), landed));
  });
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
