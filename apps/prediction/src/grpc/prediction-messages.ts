import { predictionV1, walletV1 } from '@agent-wallet/contracts';
import type { Side } from '@agent-wallet/kalshi';
import { AppError } from '@agent-wallet/kernel';
import { answeredState, awaitedApproval } from '@agent-wallet/operations';
import type { BuyResult } from '../application/buy/buy.js';
import type { OrderDryRun } from '../application/dry-runs/dry-run-order.js';
import type { PricedPosition } from '../application/read/read-money.js';
import type { SellResult } from '../application/sell/sell.js';
import type { WithdrawResult } from '../application/withdraw/withdraw.js';
import { HUNDREDTHS } from '../domain/orders/filled-amounts.js';
import type { OrderOutcome } from '../domain/orders/order-outcome.js';
import type { BuyRequest, OrderRequest, SellRequest } from '../domain/orders/order-request.js';
import type { ListedOrder, RecordedStatus, SettledAs } from '../ports/ledger-store.js';

const { OrderAction, OrderStatus, SettlementResult, Side: WireSide } = predictionV1;
const { OperationState } = walletV1;

const STATUSES: Readonly<Partial<Record<RecordedStatus, predictionV1.OrderStatus>>> = {
  filled: OrderStatus.ORDER_STATUS_FILLED,
  partially_filled: OrderStatus.ORDER_STATUS_PARTIALLY_FILLED,
  cancelled: OrderStatus.ORDER_STATUS_CANCELLED,
};

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

const toSide = (side: Side) => (side === 'yes' ? WireSide.SIDE_YES : WireSide.SIDE_NO);

/** Returns a buy's result as its response. */
export function toBuyResponse(answer: BuyResult): predictionV1.BuyResponse {
  return {
    state: answeredState(answer),
    order: toOrder('buy', answer, answer.createdAtMs),
    refundedUsdMicros: answer.refundedUsdMicros,
    signature: answer.signature,
    refundSignature: answer.refundSignature,
    refundedToBalance: answer.isRefundedToBalance,
    approval: awaitedApproval(answer.approval),
  };
}

/** Returns a buy's dry run as its response. */
export function toDryRunBuyResponse(request: OrderRequest, found: OrderDryRun): predictionV1.DryRunBuyResponse {
  const order = toOrder('buy', { ...found, request }, found.askedAtMs);
  return {
    buy: {
      state: OperationState.OPERATION_STATE_UNSPECIFIED,
      order,
      refundedUsdMicros: found.refundedUsdMicros,
      signature: '',
      refundSignature: '',
      refundedToBalance: false,
    },
    dryRun: found.dryRun,
  };
}

/** Returns a sale's result as its response. */
export function toSellResponse(answer: SellResult): predictionV1.SellResponse {
  return {
    state: answeredState(answer),
    order: toOrder('sell', answer, answer.createdAtMs),
    signature: answer.signature,
    paidToBalance: answer.isPaidToBalance,
  };
}

/** Returns a sale's dry run as its response. */
export function toDryRunSellResponse(request: OrderRequest, found: OrderDryRun): predictionV1.DryRunSellResponse {
  const order = toOrder('sell', { ...found, request }, found.askedAtMs);
  const state = OperationState.OPERATION_STATE_UNSPECIFIED;
  return { sell: { state, order, signature: '', paidToBalance: false }, dryRun: found.dryRun };
}

/** Returns a withdrawal's result as its response. */
export function toWithdrawResponse({ isConfirmed, ...answer }: WithdrawResult): predictionV1.WithdrawResponse {
  return { state: answeredState({ isConfirmed }), ...answer };
}

/** Returns a past order as its message. */
export function toListedOrder(order: ListedOrder): predictionV1.Order {
  return {
    orderId: order.orderId,
    ticker: order.ticker,
    eventTicker: order.eventTicker,
    side: toSide(order.side),
    action: order.action === 'buy' ? OrderAction.ORDER_ACTION_BUY : OrderAction.ORDER_ACTION_SELL,
    countHundredths: order.count,
    filledHundredths: order.filled,
    totalUsdMicros: order.totalUsdMicros,
    feeUsdMicros: order.feeUsdMicros,
    status: STATUSES[order.status] ?? OrderStatus.ORDER_STATUS_UNSPECIFIED,
    createdAtMs: BigInt(order.createdAtMs),
    filledAtMs: toTime(order.filledAtMs),
    operationId: order.operationId,
  };
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

function toOrder(
  action: 'buy' | 'sell',
  known: { readonly request: OrderRequest; readonly eventTicker: string; readonly order: OrderOutcome },
  createdAtMs: number,
): predictionV1.Order {
  const { request, eventTicker, order } = known;
  const { ticker, side, count } = request;
  return toListedOrder({
    ...order,
    // The gateway knows the operation of an answer by itself.
    operationId: '',
    ticker,
    eventTicker,
    side,
    action,
    createdAtMs,
    count,
    status: order.status ?? 'open',
  });
}

const toTime = (ms: number | undefined) => (ms === undefined ? undefined : BigInt(ms));
