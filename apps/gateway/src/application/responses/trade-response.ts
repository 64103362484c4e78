import type { swapV1 } from '@agent-wallet/contracts';
import { formatAmount, readDecimal } from '@agent-wallet/kernel';
import { present } from '../../ports/services.js';
import { type ExactJson, integerNumber } from './exact-json.js';

/** What a trade spends and gains, as specification 2.3 shows it: what moved once it is done, what was quoted before. */
export function tradeFields(trade: swapV1.TradeResponse): Record<string, ExactJson> {
  const [input, output] = [present(trade.input, 'input'), present(trade.output, 'output')];
  return {
    inputAmount: amountText(input),
    outputAmount: amountText(output),
    inputMint: input.mint,
    outputMint: output.mint,
    inputAmountRaw: input.amount.toString(),
    outputAmountRaw: output.amount.toString(),
    minOutputAmountRaw: trade.minOutputAmount.toString(),
    slippageBps: trade.slippageBps,
    priceImpact: priceImpactText(trade.priceImpactPercent),
    route: trade.route,
    networkFeeLamports: integerNumber(trade.networkFeeLamports),
    warnings: trade.warnings.map(({ mint, type, severity, message }) => ({ mint, type, severity, message })),
  };
}

function amountText({ amount, decimals, symbol }: swapV1.TradedToken): string {
  return `${formatAmount(amount, decimals)} ${symbol}`;
}

const IMPACT_DECIMALS = 4;

/** The aggregator counts a loss as negative; here a loss is positive: `0.12%`. Rounded to the nearest; null if unknown. */
export function priceImpactText(percent: string): string | null {
  if (percent === '') return null;
  const { negative, digits, scale } = readDecimal(percent);
  const unit = 10n ** BigInt(scale);
  const rounded = (2n * digits * 10n ** BigInt(IMPACT_DECIMALS) + unit) / (2n * unit);
  return `${formatAmount(negative ? rounded : -rounded, IMPACT_DECIMALS)}%`;
}
