import type { SagaExplanation } from '@agent-wallet/operations';
import type { BuyPlan, OrderPlan, PayoutPlan } from '../../domain/orders/order-plan.js';

/** Of an operation of which nothing is written yet. */
export const NOT_BEGUN: SagaExplanation = {
  outside: 'Nothing has moved.',
  next: 'It is prepared; when its process dies, another begins again.',
};

/** How far an order is, and what will end it, for the people who run the service. */
export function explainOrder(plan: (OrderPlan & Partial<BuyPlan>) | undefined): SagaExplanation {
  if (!plan) return NOT_BEGUN;
  if (plan.payout) return explainPayout(plan.payout);
  if (!plan.placing) {
    return {
      outside: `Up to ${plan.escrowUsdMicros} base units of USDC are on their way to the treasury: ask the wallet service.`,
      next: 'The wallet service is asked again and again for the outcome of step 1; then the order is placed, or nothing.',
    };
  }
  if (plan.placed) {
    return {
      outside: `The exchange has the order ${plan.placed.orderId}.`,
      next: 'Its fills are read until all are there; then they are booked.',
    };
  }
  return explainPlacing(plan.placing);
}

function explainPlacing({
  clientOrderId,
  isInDoubt,
  isKnown,
  isLate,
}: NonNullable<OrderPlan['placing']>): SagaExplanation {
  const name = `the order with the client order id ${clientOrderId}`;
  if (isKnown) {
    return {
      outside: `The exchange says that it has ${name}, and does not show it.`,
      next: 'It is looked for until the exchange shows it, and never sent again. Ask the exchange; `give-up-order` ends the wait.',
    };
  }
  if (isLate) {
    return {
      outside: `The escrow was found too late for ${name}; it was not sent, unless by a life that a restore has undone.`,
      next: 'It is looked for, and never sent; when two looks show nothing, everything goes back.',
    };
  }
  if (isInDoubt) {
    return {
      outside: `It is not known whether the exchange has ${name}.`,
      next: 'It is looked for, and sent again under the same id, until the exchange shows it or has refused it twice.',
    };
  }
  return { outside: `Nobody has sent ${name} yet.`, next: 'It waits for its turn; then it is sent, or given up.' };
}

/** Where USDC on its way to the wallet is. */
export function explainPayout({ amountUsdMicros, attempt, signature }: PayoutPlan): SagaExplanation {
  const how = signature === undefined ? 'is not known to be signed' : `is ${signature}`;
  return {
    outside: `${amountUsdMicros} base units of USDC are on their way to the wallet; attempt ${attempt} ${how}.`,
    next: 'The wallet service is asked again and again; what is proven never to arrive becomes prediction balance.',
  };
}
