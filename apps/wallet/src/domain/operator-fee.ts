import { USD_DECIMALS, type UsdMicros, type UsdPrice } from '@agent-wallet/kernel';

/** What the operator takes of a transfer. */
export interface FeeTerms {
  /** Hundredths of a percent of the amount. */
  readonly basisPoints: number;
  readonly flatUsdMicros: UsdMicros;
}

const BASIS_POINTS = 10_000n;

/** The share of an amount in base units, rounded down. */
export function shareOf(amount: bigint, { basisPoints }: Pick<FeeTerms, 'basisPoints'>): bigint {
  return (amount * BigInt(basisPoints)) / BASIS_POINTS;
}

/** Dollars in base units of a token, rounded down. */
export function unitsOfUsd(usd: UsdMicros, token: { readonly decimals: number; readonly price: UsdPrice }): bigint {
  const { digits, scale } = token.price;
  return (usd * 10n ** BigInt(token.decimals + scale)) / (digits * 10n ** BigInt(USD_DECIMALS));
}
