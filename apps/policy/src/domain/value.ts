import { SOL_DECIMALS, type UsdPrice, valueInUsd } from '@agent-wallet/kernel';

/** What leaves an agent's control with one transfer. */
export interface Spend {
  /** Base units of the token. */
  readonly amount: bigint;
  readonly decimals: number;
  readonly price: UsdPrice;
  /** Rent of an account that the agent will not own; its owner can take it. */
  readonly rent: { readonly lamports: bigint; readonly solPrice: UsdPrice } | undefined;
}

/** The largest value there is: beyond every limit. */
const MAX_USD_MICROS = 2n ** 63n - 1n;

/** The value of a spend in micro-dollars, each part rounded up. What is beyond int64 counts as the largest value. */
export function valueOf({ amount, decimals, price, rent }: Spend): bigint {
  try {
    const sent = valueInUsd(amount, { decimals, price }, 'up');
    const given = rent ? valueInUsd(rent.lamports, { decimals: SOL_DECIMALS, price: rent.solPrice }, 'up') : 0n;
    return sent + given > MAX_USD_MICROS ? MAX_USD_MICROS : sent + given;
  } catch (error) {
    if (error instanceof RangeError) return MAX_USD_MICROS;
    throw error;
  }
}

const TOKEN_ACCOUNT_BYTES = 165;
/** Token-2022: the type byte, and the immutable owner (a header of 4 bytes) that associated accounts always have. */
const TOKEN_2022_EXTRA_BYTES = 1 + 4;
/** What an account must have beside it because of its mint: a header of 4 bytes and the value. */
const ACCOUNT_EXTENSION_BYTES: Readonly<Record<string, number>> = {
  transferFeeConfig: 4 + 8,
  nonTransferable: 4,
  transferHook: 4 + 1,
  pausable: 4,
};
/** For an extension that is not known yet: rather too much than too little. */
const UNKNOWN_EXTENSION_BYTES = 64;

/** Bytes of a new associated token account. @param extensions the mint's, of Token-2022 only */
export function tokenAccountBytes(isToken2022: boolean, extensions: readonly string[]): number {
  if (!isToken2022) return TOKEN_ACCOUNT_BYTES;
  const extra = extensions.map((name) =>
    name.startsWith('unknown:') ? UNKNOWN_EXTENSION_BYTES : (ACCOUNT_EXTENSION_BYTES[name] ?? 0),
  );
  return TOKEN_ACCOUNT_BYTES + TOKEN_2022_EXTRA_BYTES + extra.reduce((sum, bytes) => sum + bytes, 0);
}
