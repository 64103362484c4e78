import type { swapV1 } from '@agent-wallet/contracts';
import { formatAmount, readDecimal } from '@agent-wallet/kernel';
import { present } from '../../domain/present.js';
import type { ExactJson } from './exact-json.js';

/** A confirmed trade as specification 2.3 shows it. */
export function tradeAnswer(
  trade: swapV1.TradeResponse,
  operationId: string,
  explorerUrl: (signature: string) => string,
): ExactJson {
  return {
    transactionId: operationId,
    status: 'confirmed',
    signature: trade.signature,
    explorerUrl: explorerUrl(trade.signature),
    ...tradeFields(trade),
  };
}

/** What a trade spends and gains: what really moved once it is done, what was quoted before. */
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
    warnings: trade.warnings.map(({ mint, type, severity, message }) => ({ mint, type, severity, message })),
  };
}

function amountText({ amount, decimals, symbol }: swapV1.TradedToken): string {
  return `${formatAmount(amount, decimals)} ${symbol}`;
}

const IMPACT_DECIMALS = 4;

/** The aggregator counts a loss as negative; an impact is told as what is lost: `"0.12%"`. Rounded to the nearest. */
function priceImpactText(percent: string): string | null {
  if (percent === '') return null;
  const { negative, digits, scale } = readDecimal(percent);
  const unit = 10n ** BigInt(scale);
  const rounded = (2n * digits * 10n ** BigInt(IMPACT_DECIMALS) + unit) / (2n * unit);
  return `${formatAmount(negative ? rounded : -rounded, IMPACT_DECIMALS)}%`;
}
