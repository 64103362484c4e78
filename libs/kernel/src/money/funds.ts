import { AppError } from '../errors/app-error.js';
import { formatAmount } from './amount.js';

/**
 * INSUFFICIENT_FUNDS, with what is missing of a token. All amounts in base units.
 * @param holder who lacks it, at the beginning of a sentence
 */
export function insufficientFunds(
  token: {
    readonly symbol: string;
    /** Base58; empty for the native coin. */
    readonly mint: string;
    readonly decimals: number;
    readonly available: bigint;
  },
  needed: bigint,
  holder?: string,
): AppError {
  const { symbol, mint, decimals, available } = token;
  const missing = needed - available;
  const text = (units: bigint) => formatAmount(units, decimals);
  return new AppError('INSUFFICIENT_FUNDS', {
    message: `Insufficient ${symbol}${holder ? ` in ${holder}` : ''}: ${text(needed)} needed, ${text(available)} available.`,
    data: {
      asset: symbol,
      ...(mint === '' ? {} : { mint }),
      decimals,
      availableRaw: available.toString(),
      neededRaw: needed.toString(),
      missingRaw: missing.toString(),
      ...(mint === '' ? { missingLamports: missing.toString() } : {}),
    },
  });
}

/** What an account pays with a message, in lamports. */
export interface Payment {
  /** What it holds. */
  readonly held: bigint;
  /** What the network takes of it before anything else; 0 when another account is the fee payer. */
  readonly networkFee: bigint;
  /** What else it pays. */
  readonly other: bigint;
  /** The least that an account may hold, unless it holds nothing. */
  readonly minimum: bigint;
}

/**
 * What an account would have to hold to pay; undefined when it holds that. The chain lets no account hold less than its
 * minimum, except nothing: neither in the end, nor once the network fee is taken.
 */
export function neededLamports({ held, networkFee, other, minimum }: Payment): bigint | undefined {
  const needed = networkFee + other;
  if (needed === 0n) return undefined;
  if (held < needed) return needed;
  const isAllowed = (left: bigint) => left === 0n || left >= minimum;
  return isAllowed(held - networkFee) && isAllowed(held - needed) ? undefined : needed + minimum;
}
