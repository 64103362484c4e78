import { type swapV1, walletV1 } from '@agent-wallet/contracts';
import { readRequestedAmount } from '@agent-wallet/kernel';
import { answeredState, awaitedApproval } from '@agent-wallet/operations';
import { signatureText } from '@agent-wallet/solana';
import { tradeFacts } from '../application/trade-facts.js';
import type { TradeResult, TradeDryRun } from '../application/trade.js';
import { toleranceOf, type TradeRequest } from '../domain/trade.js';

/** Reads a requested trade. @throws AppError VALIDATION_ERROR naming `amount` */
export function tradeRequestOf(message: swapV1.DryRunTradeRequest): TradeRequest {
  const { from, to, slippageBps, allowRisky } = message;
  return { from, to, amount: readRequestedAmount(message), slippageBps, allowRisky, ...toleranceOf(message) };
}

/** Converts a trade's result to its wire form. */
export function toTradeResponse(result: TradeResult): swapV1.TradeResponse {
  const { isConfirmed, signature, request, plan, networkFeeLamports = 0n, approval } = result;
  return {
    state: answeredState({ isConfirmed, approval }),
    signature: signature ? signatureText(signature) : '',
    facts: tradeFacts(request, plan),
    networkFeeLamports,
    approval: awaitedApproval(approval),
  };
}

/** Converts a dry run to its wire form. */
export function toDryRunResponse(dryRun: TradeDryRun): swapV1.DryRunTradeResponse {
  const { request, plan, networkLamports: networkFeeLamports } = dryRun;
  const facts = tradeFacts(request, plan);
  const state = walletV1.OperationState.OPERATION_STATE_UNSPECIFIED;
  return { trade: { state, signature: '', facts, networkFeeLamports }, dryRun: dryRunMessage(dryRun) };
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
