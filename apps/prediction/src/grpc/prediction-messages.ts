import { predictionV1, walletV1 } from '@agent-wallet/contracts';
import type { Side } from '@agent-wallet/kalshi';
import { AppError } from '@agent-wallet/kernel';
import { answeredState, awaitedApproval } from '@agent-wallet/operations';
import type { BuyResult } from '../application/buy/buy.js';
import type { OrderDryRun } from '../application/dry-runs/dry-run-order.js';
import { buyFacts, sellFacts, toOrder, toSide } from '../application/orders/order-facts.js';
import type { PricedPosition } from '../application/read/read-money.js';
import type { SellResult } from '../application/sell/sell.js';
import type { WithdrawResult } from '../application/withdraw/withdraw.js';
import { HUNDREDTHS } from '../domain/orders/filled-amounts.js';
import type { BuyRequest, SellRequest } from '../domain/orders/order-request.js';
import type { SettledAs } from '../ports/ledger-store.js';

const { SettlementResult, Side: WireSide } = predictionV1;
const { OperationState } = walletV1;

const RESULTS: Readonly<Record<SettledAs, predictionV1.SettlementResult>> = {
  won: SettlementResult.SETTLEMENT_RESULT_WON,
  lost: SettlementResult.SETTLEMENT_RESULT_LOST,
  void: SettlementResult.SETTLEMENT_RESULT_VOID,
  scalar: SettlementResult.SETTLEMENT_RESULT_SCALAR,
};

/** Reads the request of a buy. @throws AppError VALIDATION_ERROR */
export function buyOf({ ticker, side, count, maxPriceUsdMicros }: predictionV1.DryRunBuyRequest): BuyRequest {
  const hundredths = BigInt(count) * HUNDREDTHS;
  return {
    ticker,
    side: sideOf(side),
    count: hundredths,
    ...(maxPriceUsdMicros === undefined ? {} : { maxPriceUsdMicros }),
  };
}

/** Reads the request of a sale. @throws AppError VALIDATION_ERROR */
export function sellOf({
  ticker,
  side,
  countHundredths: count,
  minPriceUsdMicros,
}: predictionV1.DryRunSellRequest): SellRequest {
  return { ticker, side: sideOf(side), count, ...(minPriceUsdMicros === undefined ? {} : { minPriceUsdMicros }) };
}

/** Returns the side that a caller names. @throws AppError VALIDATION_ERROR */
function sideOf(side: predictionV1.Side): Side {
  if (side === WireSide.SIDE_YES) return 'yes';
  if (side === WireSide.SIDE_NO) return 'no';
  throw AppError.field('side', 'must be yes or no');
}

/** Returns a buy's result as its response. */
export function toBuyResponse(answer: BuyResult): predictionV1.BuyResponse {
  const { facts, signature, approval } = answer;
  return { state: answeredState(answer), facts, signature, approval: awaitedApproval(approval) };
}

/** Returns a buy's dry run as its response. */
export function toDryRunBuyResponse(request: BuyRequest, found: OrderDryRun): predictionV1.DryRunBuyResponse {
  const { order, refundedUsdMicros, dryRun } = found;
  const facts = {
    ...buyFacts(request, undefined),
    order: toOrder('buy', request, { ...found, outcome: order }),
    refundedUsdMicros,
  };
  return { buy: { state: OperationState.OPERATION_STATE_UNSPECIFIED, facts, signature: '' }, dryRun };
}

/** Returns a sale's result as its response. */
export function toSellResponse(answer: SellResult): predictionV1.SellResponse {
  const { facts, signature } = answer;
  return { state: answeredState(answer), facts, signature };
}

/** Returns a sale's dry run as its response. */
export function toDryRunSellResponse(request: SellRequest, found: OrderDryRun): predictionV1.DryRunSellResponse {
  const { order, dryRun } = found;
  const facts = {
    ...sellFacts(request, undefined),
    order: toOrder('sell', request, { ...found, outcome: order }),
  };
  return { sell: { state: OperationState.OPERATION_STATE_UNSPECIFIED, facts, signature: '' }, dryRun };
}

/** Returns a withdrawal's result as its response. */
export function toWithdrawResponse(answer: WithdrawResult): predictionV1.WithdrawResponse {
  const { signature, amountUsdMicros, newBalanceUsdMicros } = answer;
  return { state: answeredState(answer), signature, facts: { amountUsdMicros }, newBalanceUsdMicros };
}

/** Returns a position as its message. */
export function toPosition(position: PricedPosition): predictionV1.Position {
  const { ticker, eventTicker, side, quantity, lockedCount, costUsdMicros, settlement } = position;
  return {
    ticker,
    eventTicker,
    side: toSide(side),
    quantityHundredths: quantity,
    costUsdMicros,
    currentPriceUsdMicros: position.currentPriceUsdMicros,
    settled: settlement !== undefined,
    result: settlement ? RESULTS[settlement.result] : SettlementResult.SETTLEMENT_RESULT_UNSPECIFIED,
    payoutUsdMicros: settlement?.payoutUsdMicros,
    lockedHundredths: lockedCount,
  };
}
