import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, type ErrorCode } from '@agent-wallet/kernel';
import type { Preparation } from '@agent-wallet/operations';
import { LAMPORTS_PER_SIGNATURE } from '@agent-wallet/solana';

/** A blockhash this old costs a message 2 s of its minute, and spares a call. */
export const BLOCKHASH_MAX_AGE_MS = 2_000;

/** Errors that say that the request made no sense: history is not bothered with them. */
const INVALID: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'INVALID_ADDRESS', 'UNKNOWN_TOKEN']);
const IMPOSSIBLE: ReadonlySet<ErrorCode> = new Set(['INSUFFICIENT_FUNDS', 'UNSAFE_TOKEN']);

/** What an error says of an operation that was being prepared. @throws the error, when it says nothing */
export function refusedPreparation<Plan>(error: unknown, plan: Plan | undefined): Preparation<Plan> {
  if (!(error instanceof AppError)) throw error;
  if (INVALID.has(error.code)) return { kind: 'invalid', error };
  if (IMPOSSIBLE.has(error.code)) return { kind: 'impossible', plan, error };
  throw error;
}

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
