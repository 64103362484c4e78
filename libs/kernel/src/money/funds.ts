import { AppError } from '../errors/app-error.js';
import { formatAmount } from './amount.js';

/**
 * Creates INSUFFICIENT_FUNDS with the missing amount of a token. All amounts in base units.
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

/** An account's payments with a message, in lamports. */
export interface Payment {
  /** Balance of the account. */
  readonly held: bigint;
  /** Fee that the network takes before anything else; 0 when another account is the fee payer. */
  readonly networkFee: bigint;
  /** Other payments. */
  readonly other: bigint;
  /** The least that an account may hold, unless it holds nothing. */
  readonly minimum: bigint;
}

/**
 * Returns the balance that an account needs in order to pay; undefined when its balance suffices. The chain lets no
 * account hold less than its minimum, except nothing: neither in the end, nor once the network fee is taken.
 */
export function neededLamports({ held, networkFee, other, minimum }: Payment): bigint | undefined {
  const needed = networkFee + other;
  if (needed === 0n) return undefined;
  if (held < needed) return needed;
  const isAllowed = (left: bigint) => left === 0n || left >= minimum;
  return isAllowed(held - networkFee) && isAllowed(held - needed) ? undefined : needed + minimum;
}
