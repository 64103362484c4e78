import { AppError } from '@agent-wallet/kernel';
import { z } from 'zod';

/** A token that the aggregator vouches for. */
export interface VerifiedToken {
  /** Base58 address of the mint. */
  readonly mint: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** The API gives 20 for a text; more are ignored. */
const MAX_TOKENS = 100;
const MAX_NAME_LENGTH = 100;

/** The longest symbol that is asked for or shown. */
const MAX_SYMBOL_LENGTH = 32;

/** Text that shows what it is: nothing invisible, nothing that changes the direction, no outer spaces. */
const SHOWN = /^(?! )[^\p{C}\p{Zl}\p{Zp}]+(?<! )$/u;

const entry = z.object({
  id: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  symbol: z.string().max(MAX_SYMBOL_LENGTH).regex(SHOWN),
  name: z.string().max(MAX_NAME_LENGTH).regex(SHOWN),
  decimals: z.int().min(0).max(255),
  isVerified: z.literal(true),
});

/** Reports whether a text can be a symbol at all. */
export function isSymbol(text: string): boolean {
  return text.length <= MAX_SYMBOL_LENGTH && SHOWN.test(text);
}

/**
 * Reads the verified tokens of a Tokens v2 response. Skips invalid entries.
 * @throws AppError UPSTREAM_ERROR when the whole is not a list
 */
export function readVerifiedTokens(text: string): readonly VerifiedToken[] {
  return readList(text)
    .slice(0, MAX_TOKENS)
    .flatMap((item) => {
      const { success, data } = entry.safeParse(item);
      return success ? [{ mint: data.id, symbol: data.symbol, name: data.name, decimals: data.decimals }] : [];
    });
}

function readList(text: string): readonly unknown[] {
  try {
    return z.array(z.unknown()).parse(JSON.parse(text));
  } catch (error) {
    throw new AppError('UPSTREAM_ERROR', { cause: error });
  }
}
