import type { intentV1 } from '@agent-wallet/contracts';
import { MAX_BASE_UNITS, MAX_LIQUIDITY_SLIPPAGE_BPS } from '@agent-wallet/kernel';
import { isAddress } from '../addresses/address.js';
import { isTokenProgram, TOKEN_PROGRAM, type TokenProgram, WRAPPED_SOL_MINT } from '../addresses/programs.js';
import { areInPoolOrder, cpmmAddresses } from '../liquidity/cpmm-addresses.js';
import { leastWithin, mostWithin } from '../liquidity/cpmm-maths.js';
import { MessageRefused } from './message-refused.js';

/** The two tokens of a pool that go to it, or come back from it. */
export interface LiquidityPlan {
  readonly kind: 'liquidity_add' | 'liquidity_remove';
  readonly pool: PoolPlan;
  /** Base units of liquidity tokens that are minted or burned. */
  readonly liquidity: bigint;
  /** Base units: the most of each token that may leave, or the least that must arrive. */
  readonly bounds: readonly [bigint, bigint];
}

/** The accounts of a pool, derived from its mints and its config. */
interface PoolPlan {
  readonly address: string;
  readonly lpMint: string;
  readonly sides: readonly [PoolSidePlan, PoolSidePlan];
}

/** One side of a pool. */
export interface PoolSidePlan {
  readonly mint: string;
  readonly tokenProgram: TokenProgram;
  readonly vault: string;
}

/** Takes an intent to add liquidity. @throws MessageRefused `intent` */
export function addPlan(intent: intentV1.LiquidityAdd): LiquidityPlan {
  const { liquidity, quoted0, quoted1, slippageBps, max0, max1 } = intent;
  checkAmounts([liquidity, quoted0, quoted1, max0, max1], slippageBps);
  if (max0 > mostWithin(quoted0, slippageBps) || max1 > mostWithin(quoted1, slippageBps)) {
    throw refused('more may leave than what was quoted and the tolerance');
  }
  return { kind: 'liquidity_add', pool: poolPlan(intent.pool), liquidity, bounds: [max0, max1] };
}

/** Takes an intent to remove liquidity. @throws MessageRefused `intent` */
export function removePlan(intent: intentV1.LiquidityRemove): LiquidityPlan {
  const { liquidity, quoted0, quoted1, slippageBps, min0, min1 } = intent;
  checkAmounts([liquidity, quoted0, quoted1, min0, min1], slippageBps);
  if (min0 < leastWithin(quoted0, slippageBps) || min1 < leastWithin(quoted1, slippageBps)) {
    throw refused('less may arrive than what was quoted less the tolerance');
  }
  return { kind: 'liquidity_remove', pool: poolPlan(intent.pool), liquidity, bounds: [min0, min1] };
}

function checkAmounts(amounts: readonly bigint[], slippageBps: number): void {
  if (amounts.some((amount) => amount <= 0n || amount > MAX_BASE_UNITS)) {
    throw refused('an amount is not a positive u64');
  }
  if (!Number.isInteger(slippageBps) || slippageBps < 0 || slippageBps > MAX_LIQUIDITY_SLIPPAGE_BPS) {
    throw refused(`the tolerance is not between 0 and ${MAX_LIQUIDITY_SLIPPAGE_BPS} basis points`);
  }
}

function poolPlan(pool: intentV1.LiquidityPool | undefined): PoolPlan {
  if (!pool) throw refused('it names no pool');
  const { config, mint0, mint1, decimals0, decimals1 } = pool;
  if (![config, mint0, mint1].every(isAddress)) throw refused('the config or a mint is not an address');
  if (!areInPoolOrder([mint0, mint1])) throw refused('the mints are not in the order of their bytes');
  if (![decimals0, decimals1].every(isByte)) throw refused('the decimals are not a u8');
  const { pool: address, lpMint, vaults } = cpmmAddresses({ config, mints: [mint0, mint1] });
  const side = (mint: string, tokenProgram: string, vault: string): PoolSidePlan => {
    if (!isTokenProgram(tokenProgram)) throw refused('a token program is not known');
    if (mint === WRAPPED_SOL_MINT && tokenProgram !== TOKEN_PROGRAM) {
      throw refused('wrapped SOL belongs to the classic program');
    }
    return { mint, tokenProgram, vault };
  };
  const sides = [side(mint0, pool.tokenProgram0, vaults[0]), side(mint1, pool.tokenProgram1, vaults[1])] as const;
  return { address, lpMint, sides };
}

function isByte(decimals: number): boolean {
  return Number.isInteger(decimals) && decimals >= 0 && decimals <= 255;
}

function refused(why: string): MessageRefused {
  return new MessageRefused('intent', `The intent cannot be carried out: ${why}.`);
}
