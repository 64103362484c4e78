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

/** Returns the address of an agent's wallet. @throws AppError NOT_FOUND when it has none yet */
export async function walletAddressOf(wallets: WalletStore, agentId: string): Promise<string> {
  const address = await wallets.find(agentId);
  if (!address)
    throw new AppError('NOT_FOUND', { message: 'The agent has no wallet yet.', data: { resource: 'wallet' } });
  return address;
}
