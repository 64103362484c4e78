import { baseUnits } from '@agent-wallet/kernel';
import {
  amountOf,
  integer,
  list,
  type OperationDescription,
  optional,
  planCodec,
  record,
  text,
} from '@agent-wallet/operations';
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

/** The only venue. */
const VENUE = 'raydium-cpmm';

/** Returns the amounts of both sides: what really moved, or what was quoted. */
export function amountsOf({ sides, landed }: LiquidityPlan): readonly bigint[] {
  return sides.map(({ quoted }, i) => landed?.[i] ?? quoted);
}

/** Describes an addition or a removal for history. */
export function describeLiquidity(
  { pool, slippageBps }: { readonly pool: string; readonly slippageBps: number },
  plan: LiquidityPlan | undefined,
): OperationDescription {
  const metadata = { venue: VENUE, pool, positionId: pool, slippageBps };
  if (!plan) return { assets: [], to: '', metadata };
  const amounts = amountsOf(plan);
  return {
    assets: plan.sides.map(({ token: { symbol, decimals } }, i) => ({ asset: symbol, amount: amounts[i]!, decimals })),
    to: '',
    metadata: {
      ...metadata,
      lpMint: plan.lpMint,
      liquidityRaw: plan.liquidity.toString(),
      tokens: plan.sides.map(({ token: { mint, symbol, decimals } }, i) => ({
        ...{ mint, symbol, decimals },
        amountRaw: amounts[i]!.toString(),
      })),
    },
  };
}
