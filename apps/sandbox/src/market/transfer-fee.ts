import { ExtensionType } from '@solana/spl-token';
import type { Account } from '../chain/account.js';
import { readExtensions } from '../chain/token-layout.js';

const NEWER_FEE_AT = 90;

/** How much of a transfer arrives. */
export type Arrival = (units: bigint) => bigint;

/** What a mint's transfers leave after its own fee; the fee is rounded up, as token-2022 does. */
export function arrivalOf(mint: Account): Arrival {
  const config = readExtensions(mint).find(({ type }) => type === Number(ExtensionType.TransferFeeConfig))?.value;
  if (!config) return (units) => units;
  const most = config.readBigUInt64LE(NEWER_FEE_AT + 8);
  const rate = BigInt(config.readUInt16LE(NEWER_FEE_AT + 16));
  return (units) => {
    const fee = (units * rate + 9_999n) / 10_000n;
    return units - (fee < most ? fee : most);
  };
}
