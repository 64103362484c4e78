import type { OrderResponse } from '@agent-wallet/jupiter';
import { AppError, SOL_DECIMALS } from '@agent-wallet/kernel';

const FUNDS_ARE_MISSING = 1;
const SOL_IS_MISSING = 2;
const TOO_SMALL_TO_BE_SPONSORED = 3;

/**
 * Explains why an order cannot be used. Codes mean something else for makers than for aggregated routes.
 * @param isSponsored whether the order names the operator's sponsor as payer
 * @returns undefined when there is a transaction for the wallet to sign, and for it or the sponsor to pay
 */
export function rejectionOfOrder(
  { transaction, errorCode, router, gasless }: OrderResponse,
  isSponsored: boolean,
): AppError | undefined {
  // Nothing was asked that could be answered without a transaction.
  if (transaction === null) return new AppError('UPSTREAM_ERROR', { cause: new Error('the order has no transaction') });
  const isMakers = router === 'jupiterz';
  // The aggregator pays for wallets with too little SOL, and takes it out of the trade: not under this service's checks.
  if (transaction) return gasless && !isMakers && !isSponsored ? solIsMissing() : undefined;
  if (errorCode === FUNDS_ARE_MISSING) return new AppError('INSUFFICIENT_FUNDS');
  if (!isMakers && (errorCode === SOL_IS_MISSING || errorCode === TOO_SMALL_TO_BE_SPONSORED)) {
    return isSponsored ? sponsorIsShort() : solIsMissing();
  }
  return new AppError('NO_ROUTE');
}

function solIsMissing(): AppError {
  return new AppError('INSUFFICIENT_FUNDS', {
    message: 'The wallet holds too little SOL for the network fee and rent of this trade. Send SOL to it.',
    data: { asset: 'SOL', decimals: SOL_DECIMALS },
  });
}

function sponsorIsShort(): AppError {
  return new AppError('INSUFFICIENT_FUNDS', {
    message:
      'The wallet holds too little SOL for the network fee and rent of this trade, and the operator’s sponsor cannot pay ' +
      'now. Send SOL to the wallet.',
    data: { asset: 'SOL', decimals: SOL_DECIMALS, payer: 'sponsor' },
  });
}

/** Reports whether an error says that a wallet holds too little SOL. */
export function isSolMissing(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'INSUFFICIENT_FUNDS' && error.data['asset'] === 'SOL';
}
