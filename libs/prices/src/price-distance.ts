import type { UsdPrice } from '@agent-wallet/kernel';

/** Reports whether a price differs from `reference` by more than this percentage, computed without rounding. */
export function differsByMoreThan(price: UsdPrice, reference: UsdPrice, percent: bigint): boolean {
  const scale = Math.max(price.scale, reference.scale);
  const a = price.digits * 10n ** BigInt(scale - price.scale);
  const b = reference.digits * 10n ** BigInt(scale - reference.scale);
  const distance = a > b ? a - b : b - a;
  return distance * 100n > b * percent;
}
