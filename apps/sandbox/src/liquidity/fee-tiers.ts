import type { AccountChange } from '../chain/account.js';
import type { Key } from '../encoding/keys.js';
import { seededAccount } from '../tokens/token-accounts.js';
import { type CpmmConfig, configBytes } from './cpmm-layout.js';
import { authorityAddress, configAddress, CPMM_PROGRAM } from './cpmm-program.js';

const SHARED = { protocolFeeRate: 120_000n, fundFeeRate: 40_000n, createPoolFee: 150_000_000n };

/** A fee tier with its account's address. */
export interface FeeTier extends CpmmConfig {
  readonly address: Key;
}

/** The fee tiers, by index: 0.25 % and 1 %. */
export const FEE_TIERS: readonly [FeeTier, FeeTier] = [
  { address: configAddress(CPMM_PROGRAM, 0).key, index: 0, tradeFeeRate: 2_500n, ...SHARED },
  { address: configAddress(CPMM_PROGRAM, 1).key, index: 1, tradeFeeRate: 10_000n, ...SHARED },
];

/** Builds the fee tiers' accounts. */
export function feeTierAccounts(): AccountChange[] {
  const owner = authorityAddress(CPMM_PROGRAM).key;
  return FEE_TIERS.map((tier) => {
    const { bump } = configAddress(CPMM_PROGRAM, tier.index);
    return seededAccount(tier.address, CPMM_PROGRAM, configBytes(tier, bump, owner));
  });
}
