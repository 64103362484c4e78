import type { OperationDescription } from '@agent-wallet/operations';
import type { TradePlan } from '../domain/trade-plan.js';
import type { TradeRequest } from '../domain/trade-request.js';

/** A trade as history shows it; `plan` is undefined while the tokens are not resolved. */
export function describeTrade(request: TradeRequest, plan: TradePlan | undefined): OperationDescription {
  const { from, to, slippageBps } = request;
  if (!plan) {
    return { asset: from, decimals: 0, to: '', metadata: { inputMint: null, outputMint: null, from, to, slippageBps } };
  }
  const { input, output, offer, landed, warnings } = plan;
  const amount = landed?.inputAmount ?? plan.amount;
  const gained = landed?.outputAmount ?? offer?.outputAmount;
  return {
    asset: input.symbol,
    amount: BigInt(amount),
    decimals: input.decimals,
    to: '',
    metadata: {
      ...{ from: input.symbol, to: output.symbol, inputMint: input.mint, outputMint: output.mint },
      ...{ inputAmountRaw: amount, outputDecimals: output.decimals, slippageBps },
      ...(gained === undefined ? {} : { outputAmountRaw: gained }),
      ...(offer ? { minOutputAmountRaw: offer.minOutputAmount, route: offer.route } : {}),
      ...(offer?.priceImpactPercent ? { priceImpactPercent: offer.priceImpactPercent } : {}),
      ...(warnings.length > 0
        ? { warnings: warnings.map(({ mint, type, severity }) => ({ mint, type, severity })) }
        : {}),
    },
  };
}
