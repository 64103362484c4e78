import type { intentV1 } from '@agent-wallet/contracts';
import { LAMPORTS_PER_SIGNATURE } from '@agent-wallet/solana';

/** A blockhash this old costs a message 2 s of its minute, and spares a call. */
export const BLOCKHASH_MAX_AGE_MS = 2_000;

/** A message of ours offers no price, so each signature costs the same and nothing else does. */
export function networkFeeOf(plan: { readonly sponsor?: string }): bigint {
  return feeOfMessage({ isSponsored: plan.sponsor !== undefined });
}

/** The same, before there is a plan: a sponsor signs, too. */
export function feeOfMessage({ isSponsored }: { readonly isSponsored: boolean }): bigint {
  return isSponsored ? 2n * LAMPORTS_PER_SIGNATURE : LAMPORTS_PER_SIGNATURE;
}

/** Who pays, as an intent says it. */
export function payerOf(plan: {
  readonly sponsor?: string;
}): Pick<intentV1.Intent, 'sponsor' | 'maxNetworkFeeLamports'> {
  return plan.sponsor === undefined ? {} : { sponsor: plan.sponsor, maxNetworkFeeLamports: networkFeeOf(plan) };
}
