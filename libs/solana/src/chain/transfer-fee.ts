import type { TransferFee, TransferFeeConfig } from './solana-chain.js';

const BASIS_POINTS = 10_000n;

/** The fee of a Token-2022 mint in an epoch: a change takes effect with the epoch that it names. */
export function transferFeeInEpoch({ older, newer }: TransferFeeConfig, epoch: number): TransferFee {
  return BigInt(epoch) >= newer.epoch ? newer : older;
}

/** Base units that the token program withholds of a transfer: rounded up, as it does, and at most the maximum. */
export function withheldOf({ basisPoints, maximumFee }: TransferFee, amount: bigint): bigint {
  const fee = (amount * BigInt(basisPoints) + BASIS_POINTS - 1n) / BASIS_POINTS;
  return fee < maximumFee ? fee : maximumFee;
}
