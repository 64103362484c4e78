import type { swapV1 } from '@agent-wallet/contracts';
import type { Token } from '../domain/tokens.js';
import type { TradePlan, TradeRequest } from '../domain/trade.js';

/** Returns what is known of a trade: what its response, its event and history state. */
export function tradeFacts(
  { from, to, slippageBps }: Pick<TradeRequest, 'from' | 'to' | 'slippageBps'>,
  plan: TradePlan | undefined,
): swapV1.TradeFacts {
  const { landed, offer } = plan ?? {};
  const tokens = plan
    ? {
        input: toToken(plan.input, landed?.inputAmount ?? plan.amount),
        output: toToken(plan.output, landed?.outputAmount ?? offer?.outputAmount),
      }
    : { input: { mint: '', symbol: from, decimals: 0 }, output: { mint: '', symbol: to, decimals: 0 } };
  return {
    ...tokens,
    minOutputAmount: offer?.minOutputAmount,
    slippageBps,
    priceImpactPercent: offer?.priceImpactPercent ?? '',
    route: [...(offer?.route ?? [])],
    warnings: (plan?.warnings ?? []).map((warning) => ({ ...warning })),
    sponsored: offer?.sponsor !== undefined,
  };
}

function toToken({ mint, symbol, decimals }: Token, amount: bigint | undefined): swapV1.TradedToken {
  return { mint, symbol, decimals, amount };
}
