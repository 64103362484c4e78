import type { TransferFee, TransferFeeConfig } from './solana-chain.js';

const BASIS_POINTS = 10_000n;

/** Returns the fee of a Token-2022 mint in an epoch. A change takes effect in the epoch that it names. */
export function transferFeeInEpoch({ older, newer }: TransferFeeConfig, epoch: number): TransferFee {
  return BigInt(epoch) >= newer.epoch ? newer : older;
}

/**
 * Returns the base units that the token program withholds from a transfer: rounded up as the program does, and capped
 * at the maximum.
 */
export function withheldOf({ basisPoints, maximumFee }: TransferFee, amount: bigint): bigint {
  const fee = (amount * BigInt(basisPoints) + BASIS_POINTS - 1n) / BASIS_POINTS;
  return fee < maximumFee ? fee : maximumFee;
}
