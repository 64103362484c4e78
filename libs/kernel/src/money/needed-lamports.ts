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
