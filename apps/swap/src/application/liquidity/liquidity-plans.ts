import type { swapV1 } from '@agent-wallet/contracts';
import { baseUnits } from '@agent-wallet/kernel';
import { amountOf, integer, list, optional, planCodec, record, text } from '@agent-wallet/operations';
import type { LiquidityPlan, PlannedSide } from '../../domain/liquidity/liquidity.js';
import type { Token } from '../../domain/tokens.js';
import type { Unwrapped } from '../../domain/trade.js';

const units = amountOf(baseUnits);
const token = record<Token>({ mint: text, symbol: text, decimals: integer, tokenProgram: text });

/** Codec of stored plans of both actions. */
export const LIQUIDITY_PLANS = planCodec(
  record<LiquidityPlan>({
    ...{ wallet: text, pool: text, config: text, lpMint: text },
    sides: list(record<PlannedSide>({ token, quoted: units, bound: units })),
    ...{ liquidity: units, held: units, rentLamports: units, feeLamports: units },
    unwrapped: optional(record<Unwrapped>({ units, lamports: units })),
    landed: optional(list(units)),
  }),
);

/** Returns the amounts of both sides: what really moved, or what was quoted. */
export function amountsOf({ sides, landed }: LiquidityPlan): readonly bigint[] {
  return sides.map(({ quoted }, i) => landed?.[i] ?? quoted);
}

/** The two actions of liquidity. */
export type LiquidityActionName = 'liquidity_add' | 'liquidity_remove';

/** Returns what is known of an addition or a removal: what its response, its event and history state. */
export function liquidityFacts(
  action: LiquidityActionName,
  { pool, slippageBps }: { readonly pool: string; readonly slippageBps: number },
  plan: LiquidityPlan | undefined,
): swapV1.LiquidityFacts {
  if (!plan) return { pool, slippageBps, lpMint: '', tokens: [], remaining: 0n, rentLamports: 0n };
  const { lpMint, sides, liquidity, held, rentLamports } = plan;
  const amounts = amountsOf(plan);
  const tokens = sides.map(({ token: { mint, symbol, decimals }, bound }, i) => ({
    ...{ mint, symbol, decimals, bound },
    amount: amounts[i]!,
  }));
  const remaining = action === 'liquidity_remove' ? held - liquidity : 0n;
  return { pool, slippageBps, lpMint, tokens, liquidity, remaining, rentLamports };
}
