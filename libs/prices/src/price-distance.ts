import type { UsdPrice } from '@agent-wallet/kernel';

/** Reports whether a price differs from `reference` by more than this percentage, computed without rounding. */
export function differsByMoreThan(price: UsdPrice, reference: UsdPrice, percent: bigint): boolean {
  const [a, b] = atOneScale(price, reference);
  const distance = a > b ? a - b : b - a;
  return distance * 100n > b * percent;
}

/** Reports whether a price is above another one. */
export function isHigher(price: UsdPrice, other: UsdPrice): boolean {
  const [a, b] = atOneScale(price, other);
  return a > b;
}

/** Returns the higher one of two prices. */
export function higherPrice(one: UsdPrice, other: UsdPrice): UsdPrice {
  return isHigher(other, one) ? other : one;
}

function atOneScale(one: UsdPrice, other: UsdPrice): readonly [bigint, bigint] {
  const scale = Math.max(one.scale, other.scale);
  return [one.digits * 10n ** BigInt(scale - one.scale), other.digits * 10n ** BigInt(scale - other.scale)];
}
