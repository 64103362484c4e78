import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, baseUnits } from '@agent-wallet/kernel';
import { amountOf } from '@agent-wallet/operations';
import { LAMPORTS_PER_SIGNATURE } from '@agent-wallet/solana';
import type { WalletStore } from '../../ports/wallet-store.js';

/*
 * What all handlers of this service share.
 */

/** An amount in a plan: stored as its decimal text. */
export const units = amountOf(baseUnits);

/** A blockhash this old costs a message 2 s of its minute, and spares a call. */
export const BLOCKHASH_MAX_AGE_MS = 2_000;

/** Messages of this service offer no price, so each signature costs the same and nothing else does. */
export function networkFeeOf(plan: { readonly sponsor?: string }): bigint {
  return feeOfMessage({ isSponsored: plan.sponsor !== undefined });
}

/** Returns the network fee before there is a plan: a sponsor signs, too. */
export function feeOfMessage({ isSponsored }: { readonly isSponsored: boolean }): bigint {
  return isSponsored ? 2n * LAMPORTS_PER_SIGNATURE : LAMPORTS_PER_SIGNATURE;
}

/** Returns the payer in the form of an intent. */
export function payerOf(plan: {
  readonly sponsor?: string;
}): Pick<intentV1.Intent, 'sponsor' | 'maxNetworkFeeLamports'> {
  return plan.sponsor === undefined ? {} : { sponsor: plan.sponsor, maxNetworkFeeLamports: networkFeeOf(plan) };
}

/**
 * Returns a salt from the random end of the operation's ID. Without one, the same request twice within one blockhash is
 * the same bytes and signature, and happens once. Should two salts agree by chance, the later message cannot be stored
 * and is rebuilt until a new blockhash makes it another one.
 */
export function saltOf(operationId: string): number {
  return Number.parseInt(operationId.slice(-4), 16);
}

/** Returns the address of an agent's wallet. @throws AppError NOT_FOUND when it has none yet */
export async function walletAddressOf(wallets: WalletStore, agentId: string): Promise<string> {
  const address = await wallets.find(agentId);
  if (!address)
    throw new AppError('NOT_FOUND', { message: 'The agent has no wallet yet.', data: { resource: 'wallet' } });
  return address;
}
