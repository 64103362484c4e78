import { AmountError, formatAmount, readDecimal } from '@agent-wallet/kernel';

/** Price impact as an order states it. */
interface StatedImpact {
  /** Percentage points. */
  readonly priceImpact?: number | undefined;
  /** Decimal text of a ratio. */
  readonly priceImpactPct: string;
}

const KEPT_DECIMALS = 6;
/** Longest text of an impact. A longer one states no impact, and may exceed the length that its readers take. */
const MAX_LENGTH = 20;

/**
 * Returns percentage points as decimal text, negative for a loss, with at most six decimals; empty when not stated, or
 * absurd.
 */
export function priceImpactPercent({ priceImpact, priceImpactPct }: StatedImpact): string {
  return priceImpact === undefined ? percentText(priceImpactPct, 2) : percentText(String(priceImpact), 0);
}

/** @param shift by how many places the point moves to the right */
function percentText(text: string, shift: number): string {
  try {
    const { negative, digits, scale } = readDecimal(text);
    const exact = digits * 10n ** BigInt(shift);
    const kept = scale > KEPT_DECIMALS ? exact / 10n ** BigInt(scale - KEPT_DECIMALS) : exact;
    const shown = formatAmount(kept, Math.min(scale, KEPT_DECIMALS));
    if (shown.length > MAX_LENGTH) return '';
    return negative && kept > 0n ? `-${shown}` : shown;
  } catch (error) {
    if (error instanceof AmountError) return '';
    throw error;
  }
}
