import { TEXTS } from '../texts.js';

const WORDS = TEXTS.tokens;

/** Returns the limits of a token in words; its amounts are shown already, and undefined where it has no such limit. */
export function tokenLimits(
  amounts: Readonly<Partial<Record<'single' | 'daily' | 'total', string | undefined>>>,
): string[] {
  const own = (['single', 'daily', 'total'] as const).flatMap((name) => {
    const amount = amounts[name];
    return amount === undefined ? [] : [WORDS[name](amount)];
  });
  return own.length === 0 ? [WORDS.noLimits] : own;
}
