import { isPossibleFee } from '@agent-wallet/kalshi';
import { borneFee, costUp, least, worthDown } from '../ledger/amounts.js';
import { priceOf, type ReportedFill } from '../ledger/post-fill.js';
import type { PlannedOrder, Posted } from './order-plan.js';

/** Numbers of contracts are counted in hundredths. */
export const HUNDREDTHS = 100n;
export const COUNT_DECIMALS = 2;

/** The fields of a fill that count. */
type CountedFill = ReportedFill & { readonly fillId: string; readonly feeUsdMicros: bigint; readonly atMs: number };

/** Amounts of one part of an order: the agent's cost or proceeds, and the fee that it bears. */
interface Amounts {
  readonly totalUsdMicros: bigint;
  readonly feeUsdMicros: bigint;
}

/**
 * Returns the total of an order's fills, as the ledger counts them: each by itself. A buy never costs more than its
 * escrow, and a sale never brings less than nothing. Fees of an order are never negative, even if the exchange says so.
 * @throws Error when a fill does not belong to the order, or cannot: what is not posted can still be reported correctly
 */
export function postedOf(
  order: Pick<PlannedOrder, 'ticker' | 'side' | 'action' | 'count' | 'limitUsdMicros'>,
  fills: readonly CountedFill[],
  escrowUsdMicros: bigint,
): Posted {
  let totalUsdMicros = 0n;
  let feeUsdMicros = 0n;
  let leftCount = order.count;
  for (const fill of fills) {
    const left = escrowUsdMicros - totalUsdMicros - feeUsdMicros;
    const price = priceOf(fill, order);
    leftCount -= fill.count;
    assertPossible(fill, order, { price, leftCount });
    const part = order.action === 'buy' ? paidFor(fill, price, left) : gotFor(fill, price);
    totalUsdMicros += part.totalUsdMicros;
    feeUsdMicros += part.feeUsdMicros;
  }
  const filledAtMs = fills.length > 0 ? { filledAtMs: Math.max(...fills.map(({ atMs }) => atMs)) } : {};
  return { totalUsdMicros, feeUsdMicros, ...filledAtMs };
}

/** Rejects a fill that trades more than was ordered, or at a price that the order excluded. */
function assertPossible(
  fill: CountedFill,
  { action, limitUsdMicros }: Pick<PlannedOrder, 'action' | 'limitUsdMicros'>,
  { price, leftCount }: { readonly price: bigint; readonly leftCount: bigint },
): void {
  const isWithin = action === 'buy' ? price <= limitUsdMicros : price >= limitUsdMicros;
  const { feeUsdMicros, count } = fill;
  if (isWithin && leftCount >= 0n && isPossibleFee(feeUsdMicros, { priceUsdMicros: price, count })) return;
  throw new Error(`the exchange reports a fill of ${fill.ticker} that the order cannot have`);
}

function paidFor({ count, feeUsdMicros }: CountedFill, price: bigint, left: bigint): Amounts {
  const cost = costUp(price, count);
  const paid = least(cost + borneFee(feeUsdMicros), left);
  const total = least(cost, paid);
  return { totalUsdMicros: total, feeUsdMicros: paid - total };
}

function gotFor({ count, feeUsdMicros }: CountedFill, price: bigint): Amounts {
  const proceeds = worthDown(price, count);
  return { totalUsdMicros: proceeds, feeUsdMicros: least(borneFee(feeUsdMicros), proceeds) };
}
