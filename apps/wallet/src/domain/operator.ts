import { USD_DECIMALS, type UsdMicros, type UsdPrice } from '@agent-wallet/kernel';

/** The operator's wallets and fees in this deployment. */
export interface Operator {
  /** Base58 address of the wallet that pays network fees and rent for agents that cannot; undefined for none. */
  readonly sponsor: string | undefined;
  /** Base58 address of the wallet that receives fees; undefined for no fees. */
  readonly feeWallet: string | undefined;
  /** Base58 address of the wallet that holds what agents have in escrow and what they are owed; undefined for none. */
  readonly treasury: string | undefined;
  readonly fees: FeeTerms;
}

/** The operator's fee on a transfer. */
export interface FeeTerms {
  /** Hundredths of a percent of the amount. */
  readonly basisPoints: number;
  readonly flatUsdMicros: UsdMicros;
}

const BASIS_POINTS = 10_000n;

/** Returns the share of an amount in base units, rounded down. */
export function shareOf(amount: bigint, { basisPoints }: Pick<FeeTerms, 'basisPoints'>): bigint {
  return (amount * BigInt(basisPoints)) / BASIS_POINTS;
}

/** Dollars in base units of a token, rounded down. */
export function unitsOfUsd(usd: UsdMicros, token: { readonly decimals: number; readonly price: UsdPrice }): bigint {
  const { digits, scale } = token.price;
  return (usd * 10n ** BigInt(token.decimals + scale)) / (digits * 10n ** BigInt(USD_DECIMALS));
}
