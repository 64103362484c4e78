import type { OrderPlan, OrderResult, PlannedOrder } from './order-plan.js';

/** The end of an order; undefined while that is not known. */
type OrderStatus = 'filled' | 'partially_filled' | 'cancelled';

/** An order as far as it is known. Money in micro-dollars, contracts in hundredths. */
export interface OrderOutcome {
  /** Empty while none is known. */
  readonly orderId: string;
  readonly filled: bigint;
  readonly totalUsdMicros: bigint;
  readonly feeUsdMicros: bigint;
  readonly status: OrderStatus | undefined;
  readonly filledAtMs: number | undefined;
}

/** The outcome of an order of which nothing is known. */
export const NO_OUTCOME: OrderOutcome = {
  orderId: '',
  filled: 0n,
  totalUsdMicros: 0n,
  feeUsdMicros: 0n,
  status: undefined,
  filledAtMs: undefined,
};

/** Returns the outcome of an order, as far as its plan states it. */
export function outcomeOf(plan: OrderPlan | undefined): OrderOutcome {
  if (!plan) return NO_OUTCOME;
  if (plan.state === 'beyond_limit') return { ...NO_OUTCOME, status: 'cancelled' };
  if ('result' in plan) return outcomeOfResult(plan.order, plan.result);
  return plan.state === 'posting' ? { ...NO_OUTCOME, orderId: plan.placed.orderId } : NO_OUTCOME;
}

/** Returns the final outcome of an order. */
export function outcomeOfResult({ count }: Pick<PlannedOrder, 'count'>, result: OrderResult): OrderOutcome {
  if (result.kind === 'rejected') return { ...NO_OUTCOME, status: 'cancelled' };
  const { orderId, filled } = result.placed;
  return { filledAtMs: undefined, ...result.posted, orderId, filled, status: statusOf(filled, count) };
}

/** Returns the final status of an order by the number of contracts it traded. */
export function statusOf(filled: bigint, count: bigint): OrderStatus {
  if (filled === 0n) return 'cancelled';
  return filled < count ? 'partially_filled' : 'filled';
}
