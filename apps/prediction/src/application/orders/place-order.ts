import type { SagaStep } from '@agent-wallet/operations';
import type { OrderRefusal, Placing, PlannedOrder, PostingOrder } from '../../domain/orders/order-plan.js';
import type { OrderingOperation, OrderPlacing } from './order-placing.js';

/** Continuations of a type of operation for each result of placing its order. */
interface AfterPlacing<Plan, PostingPlan extends Plan> {
  /** The plan with this to be written before anything else is done. */
  readonly noted: (placing: Placing) => Plan;
  /** The plan with the order that the exchange has taken. */
  readonly placed: (order: PostingOrder) => PostingPlan;
  readonly post: (plan: PostingPlan) => Promise<SagaStep<Plan>>;
  readonly refused: (refusal: OrderRefusal) => SagaStep<Plan>;
}

/** Takes an operation whose order may be on its way one step on. @throws what placing throws */
export async function placeOrder<Plan, PostingPlan extends Plan>(
  orders: OrderPlacing,
  {
    operation,
    order,
    placing,
  }: { readonly operation: OrderingOperation; readonly order: PlannedOrder; readonly placing: Placing },
  after: AfterPlacing<Plan, PostingPlan>,
  signal: AbortSignal,
): Promise<SagaStep<Plan>> {
  const step = await orders.step(operation, { order, placing }, signal);
  switch (step.kind) {
    case 'placed': {
      const { clientOrderId, sinceMs } = placing;
      const plan = after.placed({ state: 'posting', order, clientOrderId, sinceMs, placed: step.placed });
      // Most often the fills are there already; otherwise the order is written, and they are waited for.
      const posted = await after.post(plan).catch(() => undefined);
      return posted && posted.kind !== 'wait' ? posted : { kind: 'on', plan, publishesEvent: false, at: 'placed' };
    }
    case 'refused':
      return after.refused(step.refusal);
    case 'noted':
      return { kind: 'on', plan: after.noted(step.placing), publishesEvent: false, at: 'in-doubt' };
    case 'wait':
      return step;
  }
}
