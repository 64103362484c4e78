import type { SagaExplanation } from '@agent-wallet/operations';
import {
  type EndedPayout,
  type OrderPlan,
  type OrderResult,
  type Payout,
  type Placing,
  signatureOfPayout,
} from '../../domain/orders/order-plan.js';

/** The explanation of an operation without a written plan. */
export const NOT_BEGUN: SagaExplanation = {
  externalState: 'Nothing has moved.',
  nextStep: 'It is prepared; when its replica stops, another starts over.',
};

/** Explains to operators how far an order is, and what will end it. */
export function explainOrder(plan: OrderPlan | undefined): SagaExplanation {
  switch (plan?.state) {
    case undefined:
      return NOT_BEGUN;
    case 'beyond_limit':
      return {
        externalState: 'The book had nothing within the limit of the order. It was not sent, and nothing moved.',
        nextStep: 'Nothing is left to do.',
      };
    case 'awaiting_approval':
      return {
        externalState: 'Policy has asked an owner to approve the buy. Nothing is reserved, and nothing moved.',
        nextStep: 'Policy is asked about the approval; once it is signed, the buy is planned again within its terms.',
      };
    case 'escrowing':
    case 'escrow_failed':
      return {
        externalState: `Up to ${plan.escrowUsdMicros} base units of USDC are on their way to the treasury: ask the wallet service.`,
        nextStep:
          'The wallet service is polled for the outcome of step 1; then the order is placed, or the operation fails.',
      };
    case 'placing':
      return explainPlacing(plan.placing);
    case 'posting':
      return explainPosting(plan.placed.orderId);
    case 'refunding':
    case 'paying':
      return explainPayout(plan.payout);
    case 'done':
      return plan.payout ? explainPayout(plan.payout) : explainDone(plan.result);
  }
}

function explainPlacing({ state, clientOrderId }: Placing): SagaExplanation {
  const name = `the order with the client order id ${clientOrderId}`;
  switch (state) {
    case 'sending':
      return {
        externalState: `No replica has sent ${name} yet.`,
        nextStep: 'It waits for a slot of the queue; then it is sent, or abandoned.',
      };
    case 'unconfirmed':
    case 'rejected_pending_proof':
      return {
        externalState: `It is not known whether the exchange has ${name}.`,
        nextStep:
          'It is queried, and sent again under the same id, until the exchange shows it or has rejected it twice.',
      };
    case 'acknowledged':
      return {
        externalState: `The exchange confirmed that it has ${name}, and does not show it.`,
        nextStep:
          'It is queried until the exchange shows it, and never sent again. Ask the exchange; `orders abandon` ends the wait.',
      };
    case 'too_late':
      return {
        externalState: `The escrow was found too late for ${name}; it was not sent, unless before a restore of the database.`,
        nextStep: 'It is queried, and never sent; when two queries do not find it, the escrow is refunded.',
      };
  }
}

function explainPosting(orderId: string): SagaExplanation {
  return {
    externalState: `The exchange has the order ${orderId}.`,
    nextStep: 'Its fills are read until all are there; then they are posted.',
  };
}

function explainDone(result: OrderResult): SagaExplanation {
  const next = 'Nothing is left to do.';
  if (result.kind === 'posted') return { ...explainPosting(result.placed.orderId), nextStep: next };
  return { externalState: 'The exchange does not have the order.', nextStep: next };
}

/** Explains where USDC on its way to the wallet is. */
export function explainPayout(payout: Payout | EndedPayout): SagaExplanation {
  const { amountUsdMicros, attempt } = payout;
  const signature = signatureOfPayout(payout);
  const how = signature === undefined ? 'is not known to be signed' : `is ${signature}`;
  return {
    externalState: `${amountUsdMicros} base units of USDC are on their way to the wallet; attempt ${attempt} ${how}.`,
    nextStep: 'The wallet service is polled; a payout that provably never arrives becomes prediction balance.',
  };
}
