import { MAX_BASE_UNITS, USD_DECIMALS, type UsdPrice } from '@agent-wallet/kernel';

/** The token that a request spends, and what counts beside its amount. */
export interface SpentToken {
  /** Base58 mint; empty for the native coin. */
  readonly mint: string;
  readonly decimals: number;
  /** The highest price of the last 24 hours. */
  readonly price: UsdPrice;
  /** Base units that leave beside the amount: the operator's fee. */
  readonly fee: bigint;
  /** Value of all else that counts, in micro-dollars: the rent of a recipient's account. */
  readonly otherUsdMicros: bigint;
}

/** An amount of the token that a request spends. */
export interface PassingAmount {
  readonly mint: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
}

/**
 * Returns the largest amount that, with the fee of this request and all else that counts, is worth at most a value in
 * micro-dollars; undefined where none is. A smaller amount never has a higher fee, so it passes.
 */
export function passingAmount(spent: SpentToken, maxUsdMicros: bigint): PassingAmount | undefined {
  const { mint, decimals, price, fee, otherUsdMicros } = spent;
  // As `valueOf` counts: a fraction of a micro-dollar counts as one, so that whole ones are what is left.
  const numerator = (maxUsdMicros - otherUsdMicros) * 10n ** BigInt(decimals + price.scale);
  const amount = numerator / (price.digits * 10n ** BigInt(USD_DECIMALS)) - fee;
  if (amount <= 0n) return undefined;
  return { mint, amount: amount > MAX_BASE_UNITS ? MAX_BASE_UNITS : amount, decimals };
}
