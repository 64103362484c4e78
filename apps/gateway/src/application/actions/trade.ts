import type { swapV1 } from '@agent-wallet/contracts';
import { formatAmount, readDecimal } from '@agent-wallet/kernel';
import { present, type SwapService } from '../../ports/services.js';
import {
  type Commanded,
  type DryRunAction,
  type ExplorerUrl,
  type Operation,
  type OperationCall,
  landedFields,
  operationOf,
} from '../operations/operation.js';
import type { ExactJson } from '../responses/exact-json.js';

/** A trade as its route checked it, with defaults filled in. */
export type TradeInput = {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly slippageBps: number;
  readonly allowRisky: boolean;
};

/** Trades of one token for another, carried out by the swap service. */
export class Trade implements DryRunAction<TradeInput> {
  readonly name = 'trade';

  constructor(
    private readonly swap: SwapService,
    private readonly explorerUrl: ExplorerUrl,
  ) {}

  reach(): Promise<void> {
    return this.swap.reach();
  }

  async perform({ agentId, input }: Commanded<TradeInput>, { deadlineMs, ...call }: OperationCall): Promise<Operation> {
    const trade = await this.swap.trade({ agentId, ...input, ...call }, deadlineMs);
    return operationOf(trade, {
      message: 'Trade confirmed.',
      data: () => ({ ...landedFields(call.operationId, trade.signature, this.explorerUrl), ...tradeFields(trade) }),
    });
  }

  async dryRun({ agentId, input }: Commanded<TradeInput>) {
    const { trade, dryRun } = await this.swap.dryRunTrade({ agentId, ...input });
    return { data: tradeFields(present(trade, 'trade')), dryRun: present(dryRun, 'dryRun') };
  }
}

/** What a trade spends and gains, as specification 2.3 shows it: what moved once it is done, what was quoted before. */
function tradeFields(trade: swapV1.TradeResponse): Record<string, ExactJson> {
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

/** The aggregator counts a loss as negative; the response shows the loss: `"0.12%"`. Rounded to the nearest. */
function priceImpactText(percent: string): string | null {
  if (percent === '') return null;
  const { negative, digits, scale } = readDecimal(percent);
  const unit = 10n ** BigInt(scale);
  const rounded = (2n * digits * 10n ** BigInt(IMPACT_DECIMALS) + unit) / (2n * unit);
  return `${formatAmount(negative ? rounded : -rounded, IMPACT_DECIMALS)}%`;
}
