import type { intentV1 } from '@agent-wallet/contracts';
import { baseUnits, insufficientFunds, neededLamports, SOL_DECIMALS } from '@agent-wallet/kernel';
import { BLOCKHASH_MAX_AGE_MS, saltOf, wouldFail } from '@agent-wallet/operations';
import { buildMessage, LAMPORTS_PER_SIGNATURE, networkFeeLamports } from '@agent-wallet/solana';
import type { LiquidityPlan } from '../../domain/liquidity/liquidity.js';
import { poolErrorOf } from '../../domain/liquidity/pool-errors.js';
import { isNative } from '../../domain/tokens.js';
import type { LiquidityChain } from '../../ports/swap-chain.js';
import type { Position } from './read-position.js';

/** The two directions. */
export type Direction = 'liquidity_add' | 'liquidity_remove';

/** Returns the intent of a plan. */
function intentOf(direction: Direction, plan: LiquidityPlan, slippageBps: number): intentV1.Intent {
  const [side0, side1] = plan.sides;
  const pool: intentV1.LiquidityPool = {
    config: plan.config,
    ...{ mint0: side0!.token.mint, tokenProgram0: side0!.token.tokenProgram, decimals0: side0!.token.decimals },
    ...{ mint1: side1!.token.mint, tokenProgram1: side1!.token.tokenProgram, decimals1: side1!.token.decimals },
  };
  const amounts = { pool, liquidity: plan.liquidity, quoted0: side0!.quoted, quoted1: side1!.quoted, slippageBps };
  const [bound0, bound1] = [side0!.bound, side1!.bound];
  return {
    wallet: plan.wallet,
    action:
      direction === 'liquidity_add'
        ? { $case: 'liquidityAdd', value: { ...amounts, max0: bound0, max1: bound1 } }
        : { $case: 'liquidityRemove', value: { ...amounts, min0: bound0, min1: bound1 } },
  };
}

/**
 * Returns the place of the program's own instruction among those of the message, which begins with its compute limit, and
 * with a price where it offers one.
 */
export function programInstructionOf(
  direction: Direction,
  { sides, feeLamports }: Pick<LiquidityPlan, 'sides' | 'feeLamports'>,
): number {
  const budget = feeLamports > LAMPORTS_PER_SIGNATURE ? 2 : 1;
  if (direction === 'liquidity_remove') return budget + sides.length;
  const wrapping = sides.some(({ token }) => isNative(token)) ? 3 : 0;
  return budget + 1 + wrapping;
}

/**
 * Builds the message of a plan, and has a node say that it would do it now.
 * @throws AppError SLIPPAGE_EXCEEDED, POOL_PAUSED, VALIDATION_ERROR; UPSTREAM_ERROR when it would fail for another reason
 */
export async function buildAndSimulate(
  chain: Pick<LiquidityChain, 'latestBlockhash' | 'simulate'>,
  id: string,
  planned: { readonly direction: Direction; readonly plan: LiquidityPlan; readonly slippageBps: number },
) {
  const { direction, slippageBps } = planned;
  const intent = intentOf(direction, planned.plan, slippageBps);
  const priorityLamports = planned.plan.feeLamports - LAMPORTS_PER_SIGNATURE;
  const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash({ maxAgeMs: BLOCKHASH_MAX_AGE_MS });
  const message = buildMessage({ intent, blockhash, salt: saltOf(id), priorityLamports });
  const plan = { ...planned.plan, feeLamports: baseUnits(networkFeeLamports(message)) };
  const { error } = await chain.simulate(message, { accounts: [] });
  if (error !== null) {
    const at = { instruction: programInstructionOf(direction, plan), pool: plan.pool, slippageBps };
    throw poolErrorOf(error, at) ?? wouldFail('UPSTREAM_ERROR', message, error);
  }
  return { kind: 'ready' as const, plan, intent, message, lastValidBlockHeight };
}

/**
 * Refuses costs that the wallet cannot pay: the network fee, rent, and SOL that leaves.
 * @throws AppError INSUFFICIENT_FUNDS naming the lamports that are missing
 */
export function checkLamports(
  { lamports, minimumLamports, networkFeeLamports: networkFee }: Position,
  other: bigint,
): void {
  const needed = neededLamports({ held: lamports, networkFee, other, minimum: minimumLamports });
  if (needed === undefined) return;
  throw insufficientFunds({ symbol: 'SOL', mint: '', decimals: SOL_DECIMALS, available: lamports }, needed);
}
