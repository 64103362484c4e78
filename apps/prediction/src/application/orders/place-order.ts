import type { SagaStep } from '@agent-wallet/operations';
import type { OrderPlan, OrderRefusal, Placing } from '../../domain/orders/order-plan.js';
import type { PlacedPlan } from './booking.js';
import type { OrderingOperation, OrderPlacing } from './order-placing.js';

/** An operation whose order may have been sent. */
export interface OrderOnItsWay<Plan> {
  readonly operation: OrderingOperation;
  readonly plan: Plan;
  /** Of that plan. */
  readonly placing: Placing;
}

/** How a kind of operation goes on once it is known what became of its order. */
export interface AfterPlacing<Plan> {
  readonly book: (plan: Plan & PlacedPlan) => Promise<SagaStep<Plan>>;
  readonly refused: (refusal: OrderRefusal) => SagaStep<Plan>;
}

/** Takes an operation whose order may be on its way one step on. @throws what placing throws */
export async function placeOrder<Plan extends OrderPlan>(
  orders: OrderPlacing,
  { operation, plan, placing }: OrderOnItsWay<Plan>,
  after: AfterPlacing<Plan>,
  signal: AbortSignal,
): Promise<SagaStep<Plan>> {
  const step = await orders.step(operation, { order: plan.order, placing }, signal);
  switch (step.kind) {
    case 'placed': {
      const placed = { ...plan, placing, placed: step.placed };
      // Most often the fills are there already; otherwise the order is written, and they are waited for.
      const booked = await after.book(placed).catch(() => undefined);
      return booked && booked.kind !== 'wait' ? booked : { kind: 'on', plan: placed, isTold: false, at: 'placed' };
    }
    case 'refused':
      return after.refused(step.refusal);
    case 'noted':
      return { kind: 'on', plan: { ...plan, placing: step.placing }, isTold: false, at: 'in-doubt' };
    case 'wait':
      return step;
  }
}
