import {
  amount,
  type FieldsOf,
  integer,
  oneOf,
  type OperationCodec,
  optional,
  planCodec,
  record,
  requestCodec,
  text,
  variants,
} from '@agent-wallet/operations';
import type {
  BuyPlan,
  EndedPayout,
  In,
  OrderName,
  OrderRefusal,
  OrderResult,
  Payout,
  Placed,
  Placing,
  PlannedOrder,
  Posted,
  SellPlan,
  WithdrawPlan,
} from '../../domain/orders/order-plan.js';
import type { BuyRequest, OrderRequest, SellRequest, WithdrawRequest } from '../../domain/orders/order-request.js';

/*
 * How requests and plans are stored. Reconciliation reads `escrowUsdMicros` and the operator's commands read the states from the rows,
 * so their names are those of the columns' JSON, too.
 */

const asked: FieldsOf<OrderRequest> = { ticker: text, side: oneOf('yes', 'no'), count: amount };

const order = record<PlannedOrder>({
  ticker: text,
  eventTicker: text,
  exchangeIndex: integer,
  action: oneOf('buy', 'sell'),
  side: oneOf('yes', 'no'),
  count: amount,
  limitUsdMicros: amount,
  askedAtMs: integer,
});

const refusal = record<OrderRefusal>({ code: text, status: integer });
const name: FieldsOf<OrderName> = { clientOrderId: text, sinceMs: integer };
const placed = record<Placed>({ orderId: text, filled: amount });

const placing = variants<Placing, 'state'>('state', {
  sending: { ...name, token: text },
  unconfirmed: name,
  rejected_pending_proof: { ...name, refusal, refusedAtMs: integer },
  acknowledged: name,
  too_late: name,
});

const result = variants<OrderResult, 'kind'>('kind', {
  rejected: { refusal },
  posted: {
    placed,
    posted: record<Posted>({ totalUsdMicros: amount, feeUsdMicros: amount, filledAtMs: optional(integer) }),
  },
});

const payout = record<Payout>({
  amountUsdMicros: amount,
  sinceMs: integer,
  attempt: integer,
  signature: optional(text),
});

const endedPayout = variants<EndedPayout, 'kind'>('kind', {
  paid: { amountUsdMicros: amount, attempt: integer, signature: text },
  in_balance: { amountUsdMicros: amount, attempt: integer },
});

const terms: FieldsOf<Pick<In<BuyPlan, 'escrowing'>, 'order' | 'escrowUsdMicros'>> = { order, escrowUsdMicros: amount };
const escrowed = { ...terms, escrowSignature: text };

/** Stored form of buys. */
export const buyCodec: OperationCodec<BuyRequest, BuyPlan> = {
  request: requestCodec(record<BuyRequest>({ ...asked, maxPriceUsdMicros: optional(amount) })),
  plan: planCodec(
    variants<BuyPlan, 'state'>('state', {
      beyond_limit: { order },
      awaiting_approval: { ...terms, attempt: integer },
      escrowing: { ...terms, attempt: integer, escrowSignature: optional(text) },
      escrow_failed: { ...terms, escrowSignature: optional(text) },
      placing: { ...escrowed, placing },
      posting: { ...escrowed, ...name, placed },
      refunding: { ...escrowed, result, payout },
      done: { ...escrowed, result, payout: optional(endedPayout) },
    }),
  ),
};

/** Stored form of sales. */
export const sellCodec: OperationCodec<SellRequest, SellPlan> = {
  request: requestCodec(record<SellRequest>({ ...asked, minPriceUsdMicros: optional(amount) })),
  plan: planCodec(
    variants<SellPlan, 'state'>('state', {
      beyond_limit: { order },
      placing: { order, placing },
      posting: { order, ...name, placed },
      paying: { order, result, payout },
      done: { order, result, payout: optional(endedPayout) },
    }),
  ),
};

/** Stored form of withdrawals. */
export const withdrawCodec: OperationCodec<WithdrawRequest, WithdrawPlan> = {
  request: requestCodec(record<WithdrawRequest>({ amountUsdMicros: amount })),
  plan: planCodec(variants<WithdrawPlan, 'state'>('state', { paying: { payout }, done: { payout: endedPayout } })),
};
