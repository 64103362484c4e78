import type { swapV1 } from '@agent-wallet/contracts';
import { baseUnits, readRequestedAmount } from '@agent-wallet/kernel';
import { answeredState, awaitedApproval } from '@agent-wallet/operations';
import { signatureText } from '@agent-wallet/solana';
import { amountsOf } from '../application/liquidity/liquidity-plans.js';
import type { LiquidityDryRun, LiquidityResult } from '../application/liquidity/provide-liquidity.js';
import type { AddRequest, LiquidityPlan, RemoveRequest } from '../domain/liquidity/liquidity.js';
import { dryRunMessage } from './messages.js';

/** Reads a requested addition. @throws AppError VALIDATION_ERROR naming the amount */
export function addRequestOf(message: swapV1.DryRunAddLiquidityRequest): AddRequest {
  const { pool, token, maxOtherAmount, maxOtherAmountRaw, slippageBps } = message;
  const isOpen = maxOtherAmount === undefined && maxOtherAmountRaw === undefined;
  const most = { amount: maxOtherAmount ?? '', amountRaw: maxOtherAmountRaw };
  const other = isOpen ? {} : { maxOtherAmount: readRequestedAmount(most, 'maxOtherAmount') };
  return { pool, token, amount: readRequestedAmount(message), ...other, slippageBps };
}

/** Reads a requested removal. */
export function removeRequestOf(message: swapV1.DryRunRemoveLiquidityRequest): RemoveRequest {
  const { pool, percentBps, liquidity, slippageBps } = message;
  return {
    pool,
    ...(percentBps === undefined ? {} : { percentBps }),
    ...(liquidity === undefined ? {} : { liquidity: baseUnits(liquidity) }),
    slippageBps,
  };
}

/** Converts an addition's result to its wire form. */
export function toAddResponse(result: LiquidityResult<AddRequest>): swapV1.AddLiquidityResponse {
  const { request, plan, networkFeeLamports } = result;
  return {
    ...additionOf(request, plan, networkFeeLamports),
    state: answeredState(result),
    signature: signatureOf(result),
    approval: awaitedApproval(result.approval),
  };
}

/** Converts a removal's result to its wire form. */
export function toRemoveResponse(result: LiquidityResult<RemoveRequest>): swapV1.RemoveLiquidityResponse {
  const { request, plan, networkFeeLamports } = result;
  return {
    ...removalOf(request, plan, networkFeeLamports),
    state: answeredState(result),
    signature: signatureOf(result),
  };
}

/** Converts a dry run of an addition to its wire form. */
export function toDryRunAddition({
  request,
  plan,
  ...dryRun
}: LiquidityDryRun<AddRequest>): swapV1.DryRunAddLiquidityResponse {
  const networkLamports = plan.feeLamports;
  return {
    addition: additionOf(request, plan, networkLamports),
    dryRun: dryRunMessage({ ...dryRun, networkLamports }),
  };
}

/** Converts a dry run of a removal to its wire form. */
export function toDryRunRemoval({
  request,
  plan,
  ...dryRun
}: LiquidityDryRun<RemoveRequest>): swapV1.DryRunRemoveLiquidityResponse {
  const networkLamports = plan.feeLamports;
  return { removal: removalOf(request, plan, networkLamports), dryRun: dryRunMessage({ ...dryRun, networkLamports }) };
}

function additionOf(
  { pool, slippageBps }: AddRequest,
  plan: LiquidityPlan | undefined,
  networkFeeLamports = 0n,
): swapV1.AddLiquidityResponse {
  return {
    ...{ state: 0, signature: '', pool, slippageBps, networkFeeLamports },
    lpMint: plan?.lpMint ?? '',
    spent: tokensOf(plan),
    liquidity: plan?.liquidity ?? 0n,
    rentLamports: plan?.rentLamports ?? 0n,
  };
}

function removalOf(
  { pool, slippageBps }: RemoveRequest,
  plan: LiquidityPlan | undefined,
  networkFeeLamports = 0n,
): swapV1.RemoveLiquidityResponse {
  return {
    ...{ state: 0, signature: '', pool, slippageBps, networkFeeLamports },
    lpMint: plan?.lpMint ?? '',
    received: tokensOf(plan),
    liquidity: plan?.liquidity ?? 0n,
    remaining: plan ? plan.held - plan.liquidity : 0n,
    rentLamports: plan?.rentLamports ?? 0n,
  };
}

function tokensOf(plan: LiquidityPlan | undefined): swapV1.LiquidityToken[] {
  if (!plan) return [];
  const amounts = amountsOf(plan);
  return plan.sides.map(({ token: { mint, symbol, decimals }, bound }, i) => ({
    ...{ mint, symbol, decimals, bound },
    amount: amounts[i]!,
  }));
}

function signatureOf({ signature }: Pick<LiquidityResult<unknown>, 'signature'>): string {
  return signature ? signatureText(signature) : '';
}
