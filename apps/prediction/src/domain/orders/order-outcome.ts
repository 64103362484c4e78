import type { OrderPlan } from './order-plan.js';

/** What became of an order; undefined while that is not known. */
export type OrderStatus = 'filled' | 'partially_filled' | 'cancelled';

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

const NOTHING: OrderOutcome = {
  orderId: '',
  filled: 0n,
  totalUsdMicros: 0n,
  feeUsdMicros: 0n,
  status: undefined,
  filledAtMs: undefined,
};

/** What is known of an order by its plan. */
export function outcomeOf(plan: OrderPlan | undefined): OrderOutcome {
  if (plan?.refusal) return { ...NOTHING, status: 'cancelled' };
  if (!plan?.placed) return NOTHING;
  const { order, placed, booked } = plan;
  const { orderId } = placed;
  if (!booked) return { ...NOTHING, orderId };
  const filled = BigInt(placed.filled);
  return {
    orderId,
    filled,
    totalUsdMicros: BigInt(booked.totalUsdMicros),
    feeUsdMicros: BigInt(booked.feeUsdMicros),
    status: statusOf(filled, BigInt(order.count)),
    filledAtMs: booked.filledAtMs,
  };
}

/** What became of an order of which so many contracts were traded. */
export function statusOf(filled: bigint, count: bigint): OrderStatus {
  if (filled === 0n) return 'cancelled';
  return filled < count ? 'partially_filled' : 'filled';
}
