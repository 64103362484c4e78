import { type swapV1, walletV1 } from '@agent-wallet/contracts';
import { baseUnits, readRequestedAmount } from '@agent-wallet/kernel';
import { answeredState, awaitedApproval } from '@agent-wallet/operations';
import { signatureText } from '@agent-wallet/solana';
import type { LiquidityDryRun, LiquidityResult } from '../application/liquidity/provide-liquidity.js';
import type { AddRequest, RemoveRequest } from '../domain/liquidity/liquidity.js';
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
export function toAddResponse(result: LiquidityResult): swapV1.AddLiquidityResponse {
  return { ...toRemoveResponse(result), approval: awaitedApproval(result.approval) };
}

/** Converts a removal's result to its wire form. */
export function toRemoveResponse(result: LiquidityResult): swapV1.RemoveLiquidityResponse {
  const { signature, facts, networkFeeLamports = 0n } = result;
  return {
    state: answeredState(result),
    signature: signature ? signatureText(signature) : '',
    facts,
    networkFeeLamports,
  };
}

/** Converts a dry run of an addition to its wire form. */
export function toDryRunAddition(dryRun: LiquidityDryRun): swapV1.DryRunAddLiquidityResponse {
  return { addition: unsignedOf(dryRun), dryRun: dryRunMessage(dryRun) };
}

/** Converts a dry run of a removal to its wire form. */
export function toDryRunRemoval(dryRun: LiquidityDryRun): swapV1.DryRunRemoveLiquidityResponse {
  return { removal: unsignedOf(dryRun), dryRun: dryRunMessage(dryRun) };
}

function unsignedOf({ facts, networkLamports }: LiquidityDryRun): swapV1.RemoveLiquidityResponse {
  const state = walletV1.OperationState.OPERATION_STATE_UNSPECIFIED;
  return { state, signature: '', facts, networkFeeLamports: networkLamports };
}
