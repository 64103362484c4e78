import type { OperationDescription } from '@agent-wallet/operations';
import { outcomeOf } from '../../domain/orders/order-outcome.js';
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
import { USDC } from './usdc-price.js';

const USDC_OF = { asset: USDC.symbol, decimals: USDC.decimals, to: '' };

/** Describes a buy for history: its amount is what left the wallet in the end, or the escrow until that is known. */
export function describeBuy(request: BuyRequest, plan: BuyPlan | undefined): OperationDescription {
  const { maxPriceUsdMicros } = request;
  const wanted = maxPriceUsdMicros === undefined ? {} : { maxPriceUsdMicros };
  const metadata = { ...wanted, ...metadataOf(request, plan) };
  if (!plan) return { ...USDC_OF, metadata };
  if (plan.state === 'beyond_limit') return { ...USDC_OF, amount: 0n, metadata };
  const { escrowUsdMicros } = plan;
  const escrowSignature = 'escrowSignature' in plan ? plan.escrowSignature : undefined;
  const payout = payoutOf(plan);
  const refundSignature = signatureOfPayout(payout);
  const { totalUsdMicros, feeUsdMicros, status } = outcomeOf(plan);
  return {
    ...USDC_OF,
    amount: status === undefined ? escrowUsdMicros : totalUsdMicros + feeUsdMicros,
    ...(escrowSignature === undefined ? {} : { signature: escrowSignature }),
    metadata: {
      ...metadata,
      escrowUsdMicros,
      ...(payout ? { refundUsdMicros: payout.amountUsdMicros } : {}),
      ...(refundSignature === undefined ? {} : { refundSignature }),
      ...(isInBalance(payout) ? { refundedToBalance: true } : {}),
    },
  };
}

/** Describes a sale for history: its amount is the proceeds less the fee. */
export function describeSell(request: SellRequest, plan: SellPlan | undefined): OperationDescription {
  const { minPriceUsdMicros } = request;
  const wanted = minPriceUsdMicros === undefined ? {} : { minPriceUsdMicros };
  const metadata = { ...wanted, ...metadataOf(request, plan) };
  const { totalUsdMicros, feeUsdMicros, status } = outcomeOf(plan);
  const payout = payoutOf(plan);
  const signature = signatureOfPayout(payout);
  return {
    ...USDC_OF,
    ...(status === undefined ? {} : { amount: totalUsdMicros - feeUsdMicros }),
    ...(signature === undefined ? {} : { signature }),
    metadata: { ...metadata, ...(isInBalance(payout) ? { paidToBalance: true } : {}) },
  };
}

/** Describes a withdrawal for history. */
export function describeWithdrawal(request: WithdrawRequest, plan: WithdrawPlan | undefined): OperationDescription {
  const signature = signatureOfPayout(plan?.payout);
  return {
    ...USDC_OF,
    amount: request.amountUsdMicros,
    ...(signature === undefined ? {} : { signature }),
    metadata: {},
  };
}

function metadataOf({ ticker, side, count }: OrderRequest, plan: OrderPlan | undefined) {
  const { orderId, filled, totalUsdMicros, feeUsdMicros, status } = outcomeOf(plan);
  if (!plan) return { ticker, side, countHundredths: count };
  const { eventTicker, limitUsdMicros } = plan.order;
  return {
    ticker,
    eventTicker,
    side,
    countHundredths: count,
    limitUsdMicros,
    ...(orderId === '' ? {} : { orderId }),
    ...(status === undefined
      ? {}
      : {
          status,
          totalUsdMicros,
          feeUsdMicros,
          filledHundredths: filled,
        }),
  };
}
