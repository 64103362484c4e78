import { type swapV1, walletV1 } from '@agent-wallet/contracts';
import { readRequestedAmount } from '@agent-wallet/kernel';
import { answeredState, awaitedApproval } from '@agent-wallet/operations';
import { signatureText } from '@agent-wallet/solana';
import type { TradeResult, TradeDryRun } from '../application/trade.js';
import type { Token } from '../domain/tokens.js';
import { toleranceOf, type TradeRequest } from '../domain/trade.js';

/** Reads a requested trade. @throws AppError VALIDATION_ERROR naming `amount` */
export function tradeRequestOf(message: swapV1.DryRunTradeRequest): TradeRequest {
  const { from, to, slippageBps, allowRisky } = message;
  return { from, to, amount: readRequestedAmount(message), slippageBps, allowRisky, ...toleranceOf(message) };
}

/** Converts a trade's result to its wire form. */
export function toTradeResponse({ isConfirmed, signature, approval, ...trade }: TradeResult): swapV1.TradeResponse {
  return {
    ...tradeOf(trade),
    state: answeredState({ isConfirmed, approval }),
    signature: signature ? signatureText(signature) : '',
    approval: awaitedApproval(approval),
  };
}

/** Converts a dry run to its wire form. */
export function toDryRunResponse(dryRun: TradeDryRun, slippageBps: number): swapV1.DryRunTradeResponse {
  const { plan, networkLamports } = dryRun;
  return {
    trade: tradeOf({ plan, slippageBps, networkFeeLamports: networkLamports }),
    dryRun: dryRunMessage(dryRun),
  };
}

/** Converts what an operation would come to to its wire form. */
export function dryRunMessage({
  decision,
  networkLamports,
  isSponsored = false,
  balanceChanges,
}: Pick<TradeDryRun, 'decision' | 'networkLamports' | 'balanceChanges'> &
  Partial<Pick<TradeDryRun, 'isSponsored'>>): walletV1.DryRun {
  return {
    decision,
    networkFeeLamports: networkLamports,
    sponsored: isSponsored,
    balanceChanges: balanceChanges.map(({ mint, symbol, decimals, amount }) => ({
      mint,
      symbol,
      amount: amount < 0n ? -amount : amount,
      isDebit: amount < 0n,
      decimals,
    })),
  };
}

/** Converts a trade to its wire form, without its state. */
function tradeOf(trade: Pick<TradeResult, 'plan' | 'slippageBps' | 'networkFeeLamports'>): swapV1.TradeResponse {
  const { plan, slippageBps, networkFeeLamports = 0n } = trade;
  const { landed, offer } = plan ?? {};
  return {
    state: walletV1.OperationState.OPERATION_STATE_UNSPECIFIED,
    signature: '',
    input: plan && toSide(plan.input, landed?.inputAmount ?? plan.amount),
    output: plan && toSide(plan.output, landed?.outputAmount ?? offer?.outputAmount ?? 0n),
    priceImpactPercent: offer?.priceImpactPercent ?? '',
    route: [...(offer?.route ?? [])],
    slippageBps,
    warnings: (plan?.warnings ?? []).map((warning) => ({ ...warning })),
    minOutputAmount: offer?.minOutputAmount ?? 0n,
    networkFeeLamports,
  };
}

function toSide({ mint, symbol, decimals }: Token, amount: bigint): swapV1.TradedToken {
  return { mint, symbol, decimals, amount };
}
