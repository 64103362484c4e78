import { AppError } from '@agent-wallet/kernel';
import type { OrderAnswer } from '@agent-wallet/jupiter';

const FUNDS_ARE_MISSING = 1;
const SOL_IS_MISSING = 2;
const TOO_SMALL_TO_BE_SPONSORED = 3;

/**
 * Why there is a quote and no transaction. Codes mean something else for makers than for aggregated routes.
 * @returns undefined when there is a transaction
 */
export function refusalOfOrder({ transaction, errorCode, router }: OrderAnswer): AppError | undefined {
  if (transaction) return undefined;
  // Nothing was asked that could be answered without a transaction.
  if (transaction === null) return new AppError('UPSTREAM_ERROR', { cause: new Error('the order has no transaction') });
  if (errorCode === FUNDS_ARE_MISSING) return new AppError('INSUFFICIENT_FUNDS');
  if (router !== 'jupiterz' && (errorCode === SOL_IS_MISSING || errorCode === TOO_SMALL_TO_BE_SPONSORED)) {
    return new AppError('INSUFFICIENT_FUNDS', {
      message: 'The wallet holds too little SOL for the network fee and rent of this trade.',
      data: { asset: 'SOL' },
    });
  }
  return new AppError('NO_ROUTE');
}
