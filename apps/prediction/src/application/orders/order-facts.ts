import { predictionV1 } from '@agent-wallet/contracts';
import type { Side } from '@agent-wallet/kalshi';
import type { OperationDescription } from '@agent-wallet/operations';
import { type OrderOutcome, outcomeOf } from '../../domain/orders/order-outcome.js';
import {
  type BuyPlan,
  isInBalance,
  type OrderPlan,
  payoutOf,
  type SellPlan,
  signatureOfPayout,
  type WithdrawPlan,
} from '../../domain/orders/order-plan.js';
import type { BuyRequest, OrderRequest, SellRequest, WithdrawRequest } from '../../domain/orders/order-request.js';
import type { ListedOrder, RecordedStatus } from '../../ports/ledger-store.js';
import { USDC } from './usdc-price.js';

/* What is known of orders and withdrawals: what responses, events and history state. */

const { OrderAction, OrderStatus, Side: WireSide } = predictionV1;

const USDC_OF = { asset: USDC.symbol, decimals: USDC.decimals };

/** The event, limit and time of an order without a plan. */
const UNPLANNED = { eventTicker: '', limitUsdMicros: undefined, askedAtMs: 0 };

/** Returns what is known of a buy. */
export function buyFacts(request: BuyRequest, plan: BuyPlan | undefined): predictionV1.BuyFacts {
  const payout = payoutOf(plan);
  return {
    order: orderOf('buy', request, plan),
    maxPriceUsdMicros: request.maxPriceUsdMicros,
    escrowUsdMicros: plan && 'escrowUsdMicros' in plan ? plan.escrowUsdMicros : undefined,
    refundedUsdMicros: payout?.amountUsdMicros,
    refundSignature: signatureOfPayout(payout) ?? '',
    refundedToBalance: isInBalance(payout),
  };
}

/** Returns what is known of a sale. */
export function sellFacts(request: SellRequest, plan: SellPlan | undefined): predictionV1.SellFacts {
  return {
    order: orderOf('sell', request, plan),
    minPriceUsdMicros: request.minPriceUsdMicros,
    paidToBalance: isInBalance(payoutOf(plan)),
  };
}

/** Describes a buy for history: its amount is what left the wallet in the end, or the escrow until that is known. */
export function describeBuy(request: BuyRequest, plan: BuyPlan | undefined): OperationDescription {
  const facts = { $case: 'predictionBuy', value: buyFacts(request, plan) } as const;
  if (!plan) return { ...USDC_OF, facts };
  if (plan.state === 'beyond_limit') return { ...USDC_OF, amount: 0n, facts };
  const { totalUsdMicros, feeUsdMicros, status } = outcomeOf(plan);
  return {
    ...USDC_OF,
    amount: status === undefined ? plan.escrowUsdMicros : totalUsdMicros + feeUsdMicros,
    signature: 'escrowSignature' in plan ? plan.escrowSignature : undefined,
    facts,
  };
}

/** Describes a sale for history: its amount is the proceeds less the fee. */
export function describeSell(request: SellRequest, plan: SellPlan | undefined): OperationDescription {
  const { totalUsdMicros, feeUsdMicros, status } = outcomeOf(plan);
  return {
    ...USDC_OF,
    amount: status === undefined ? undefined : totalUsdMicros - feeUsdMicros,
    signature: signatureOfPayout(payoutOf(plan)),
    facts: { $case: 'predictionSell', value: sellFacts(request, plan) },
  };
}

/** Describes a withdrawal for history. */
export function describeWithdrawal(
  { amountUsdMicros }: WithdrawRequest,
  plan: WithdrawPlan | undefined,
): OperationDescription {
  return {
    ...USDC_OF,
    amount: amountUsdMicros,
    signature: signatureOfPayout(plan?.payout),
    facts: { $case: 'predictionWithdrawal', value: { amountUsdMicros } },
  };
}

function orderOf(action: 'buy' | 'sell', request: OrderRequest, plan: OrderPlan | undefined): predictionV1.Order {
  return toOrder(action, request, { ...UNPLANNED, ...plan?.order, outcome: outcomeOf(plan) });
}

/** The part of an order that its request does not state. */
export interface PlacedOrder {
  readonly eventTicker: string;
  readonly limitUsdMicros?: bigint | undefined;
  /** Unix milliseconds. */
  readonly askedAtMs: number;
  readonly outcome: OrderOutcome;
}

/** Returns the order of an operation as its message. */
export function toOrder(
  action: 'buy' | 'sell',
  { ticker, side, count }: OrderRequest,
  { eventTicker, limitUsdMicros, askedAtMs: createdAtMs, outcome }: PlacedOrder,
): predictionV1.Order {
  const asked = { ticker, eventTicker, side, action, createdAtMs, count };
  // The reader of an operation knows its ID.
  const listed = toListedOrder({ ...outcome, ...asked, operationId: '', status: outcome.status ?? 'open' });
  return { ...listed, limitUsdMicros };
}

const STATUSES: Readonly<Partial<Record<RecordedStatus, predictionV1.OrderStatus>>> = {
  filled: OrderStatus.ORDER_STATUS_FILLED,
  partially_filled: OrderStatus.ORDER_STATUS_PARTIALLY_FILLED,
  cancelled: OrderStatus.ORDER_STATUS_CANCELLED,
};

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
    filledAtMs: order.filledAtMs === undefined ? undefined : BigInt(order.filledAtMs),
    operationId: order.operationId,
  };
}

/** Returns a side as its message. */
export function toSide(side: Side): predictionV1.Side {
  return side === 'yes' ? WireSide.SIDE_YES : WireSide.SIDE_NO;
}
