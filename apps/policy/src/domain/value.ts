import { SOL_DECIMALS, type UsdPrice, valueInUsd } from '@agent-wallet/kernel';

/** Value that leaves an agent's control with one transfer. */
export interface Spend {
  /** Base units of the token. */
  readonly amount: bigint;
  readonly decimals: number;
  readonly price: UsdPrice;
  /** Rent of an account that the agent will not own; its owner can take it. */
  readonly rent: { readonly lamports: bigint; readonly solPrice: UsdPrice } | undefined;
}

/** The largest value there is: beyond every limit. */
export const MAX_USD_MICROS = 2n ** 63n - 1n;

/**
 * Returns the value of a spend in micro-dollars, each part rounded up. A value beyond int64 counts as the largest
 * value.
 */
export function valueOf({ amount, decimals, price, rent }: Spend): bigint {
  return atMostTheLargest(() => {
    const sent = valueInUsd(amount, { decimals, price }, 'up');
    return sent + (rent ? valueInUsd(rent.lamports, { decimals: SOL_DECIMALS, price: rent.solPrice }, 'up') : 0n);
  });
}

/** Returns the value of what a recipient gets in micro-dollars, rounded down. A value beyond int64 counts as the largest. */
export function receivedValueOf({ amount, decimals, price }: Omit<Spend, 'rent'>): bigint {
  return atMostTheLargest(() => valueInUsd(amount, { decimals, price }, 'down'));
}

function atMostTheLargest(compute: () => bigint): bigint {
  try {
    const value = compute();
    return value > MAX_USD_MICROS ? MAX_USD_MICROS : value;
  } catch (error) {
    if (error instanceof RangeError) return MAX_USD_MICROS;
    throw error;
  }
}
