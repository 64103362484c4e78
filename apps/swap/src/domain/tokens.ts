import { WRAPPED_SOL_MINT } from '@agent-wallet/kernel';

/** In a trade the mint of wrapped SOL means the native coin, which is wrapped and unwrapped on the way. */
export const NATIVE_MINT = WRAPPED_SOL_MINT;

/** One side of a trade. */
export interface Token {
  /** Base58 address of the mint; that of wrapped SOL for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Base58 address of the program that owns the mint. */
  readonly tokenProgram: string;
}

/** Returns whether a side of a trade is the native coin. */
export function isNative({ mint }: Pick<Token, 'mint'>): boolean {
  return mint === NATIVE_MINT;
}
