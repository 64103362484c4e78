import { type FeeTerms, type PriceLevel, takerFeeUsdMicros } from '@agent-wallet/kalshi';
import { costUp, worthDown } from '../../domain/ledger/amounts.js';
import { walk } from '../../domain/orders/limit-price.js';
import { type OrderOutcome, statusOf } from '../../domain/orders/order-outcome.js';
import type { PlannedOrder } from '../../domain/orders/order-plan.js';

/** Computes the outcome of an order against the book as it stands. */
export function simulateOrder(order: PlannedOrder, levels: readonly PriceLevel[], fees: FeeTerms): OrderOutcome {
  const { action, count, limitUsdMicros: limit } = order;
  const parts = walk(levels, { action, limit, count });
  const worth = action === 'buy' ? costUp : worthDown;
  const filled = parts.reduce((sum, part) => sum + part.count, 0n);
  return {
    orderId: '',
    filled,
    totalUsdMicros: parts.reduce((sum, part) => sum + worth(part.priceUsdMicros, part.count), 0n),
    feeUsdMicros: parts.reduce((sum, part) => sum + takerFeeUsdMicros(fees, part), 0n),
    status: statusOf(filled, count),
    filledAtMs: undefined,
  };
}
