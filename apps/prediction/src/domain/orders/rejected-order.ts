import { AppError } from '@agent-wallet/kernel';
import type { OrderRefusal, PlannedOrder } from './order-plan.js';

/** The refusal of an order whose turn never came, or whose escrow was found too late for it. */
export const NEVER_SENT: OrderRefusal = { code: 'never_sent', status: 0 };

/** The refusal of an order that the exchange confirmed but never showed, and that an operator declared not to exist. */
export const GIVEN_UP: OrderRefusal = { code: 'abandoned', status: 0 };

/** The exchange took the order, found no match, and dropped it: that is a cancelled order, no error. */
const NOBODY_THERE = /_insufficient_resting_volume$/;

const MEANINGS: Readonly<Record<string, 'MARKET_CLOSED' | 'MARKET_PAUSED' | 'NO_LIQUIDITY' | 'SERVICE_UNAVAILABLE'>> = {
  market_inactive: 'MARKET_CLOSED',
  market_closed: 'MARKET_CLOSED',
  market_not_found: 'MARKET_CLOSED',
  not_found: 'MARKET_CLOSED',
  trading_paused: 'MARKET_PAUSED',
  market_paused: 'MARKET_PAUSED',
  exchange_paused: 'MARKET_PAUSED',
  // The operator's account, not the agent's.
  insufficient_balance: 'SERVICE_UNAVAILABLE',
  never_sent: 'SERVICE_UNAVAILABLE',
  abandoned: 'SERVICE_UNAVAILABLE',
  // The grid of prices has changed since it was read.
  invalid_price: 'NO_LIQUIDITY',
};

/** Reports whether an order was refused only because nothing matched: it is a cancelled order. */
export function isCancelled({ code }: OrderRefusal): boolean {
  return NOBODY_THERE.test(code.toLowerCase());
}

/** Signatures of the money that a refused order returned. */
export interface ReturnedMoney {
  /** Base58 signatures of the escrow and of what paid it back. */
  readonly signature?: string;
  readonly refundSignature?: string;
}

/** Returns the error of a refused order, once all of its money is returned. */
export function rejectedOrder(
  { code, status }: OrderRefusal,
  { ticker, side }: Pick<PlannedOrder, 'ticker' | 'side'>,
  returned: ReturnedMoney,
): AppError {
  const data = { ticker, side, ...returned };
  const known = MEANINGS[code.toLowerCase()];
  if (known === 'SERVICE_UNAVAILABLE' || status === 401 || status === 403) {
    return new AppError('SERVICE_UNAVAILABLE', {
      data: returned,
      cause: new Error(`the exchange does not take orders: ${code}`),
    });
  }
  if (known) return new AppError(known, { data });
  if (status === 404 || status === 410) return new AppError('MARKET_CLOSED', { data });
  const message = 'The exchange rejected the order. All funds were returned. Try again with a new key.';
  return new AppError('UPSTREAM_ERROR', {
    message,
    data: returned,
    cause: new Error(`the exchange refused an order: ${code}`),
  });
}
