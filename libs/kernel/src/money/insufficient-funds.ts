import { AppError } from '../errors/app-error.js';
import { formatAmount } from './amount-text.js';

/** What a wallet lacks of a token. All amounts in base units. */
export function insufficientFunds(
  token: { readonly symbol: string; readonly decimals: number; readonly available: bigint },
  needed: bigint,
): AppError {
  const { symbol, decimals, available } = token;
  const missing = needed - available;
  const text = (units: bigint) => `${formatAmount(units, decimals)} ${symbol}`;
  return new AppError('INSUFFICIENT_FUNDS', {
    message: `The wallet holds ${text(available)} where ${text(needed)} are needed: ${text(missing)} are missing.`,
    data: {
      asset: symbol,
      availableRaw: available.toString(),
      neededRaw: needed.toString(),
      missingRaw: missing.toString(),
      ...(symbol === 'SOL' ? { missingLamports: missing.toString() } : {}),
    },
  });
}
