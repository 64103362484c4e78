import type { intentV1 } from '@agent-wallet/contracts';
import { AppError, type BaseUnits, baseUnits } from '@agent-wallet/kernel';
import { amountOf } from '@agent-wallet/operations';
import { LAMPORTS_PER_SIGNATURE } from '@agent-wallet/solana';
import type { WalletStore } from '../../ports/wallet-store.js';

/*
 * What all handlers of this service share.
 */

/** An amount in a plan: stored as its decimal text. */
export const units = amountOf(baseUnits);

/** The part of a plan that says what the network may cost. */
interface PaidPlan {
  readonly sponsor?: string;
  readonly priorityLamports?: bigint;
}

/** Returns the most that the message of a plan pays the network: its signatures, and its place. */
export function networkFeeOf({ sponsor, priorityLamports = 0n }: PaidPlan): bigint {
  return feeOfMessage({ isSponsored: sponsor !== undefined, priorityLamports });
}

/** Returns the network fee before there is a plan: a sponsor signs, too. */
export function feeOfMessage(message: { readonly isSponsored: boolean; readonly priorityLamports: bigint }): bigint {
  const { isSponsored, priorityLamports } = message;
  return (isSponsored ? 2n * LAMPORTS_PER_SIGNATURE : LAMPORTS_PER_SIGNATURE) + priorityLamports;
}

/** Returns the field of a plan that offers the network a price; none in a quiet market. */
export function offering(priorityLamports: bigint): { readonly priorityLamports?: BaseUnits } {
  return priorityLamports > 0n ? { priorityLamports: baseUnits(priorityLamports) } : {};
}

/** Returns the payer in the form of an intent. */
export function payerOf(plan: PaidPlan): Pick<intentV1.Intent, 'sponsor' | 'maxNetworkFeeLamports'> {
  return plan.sponsor === undefined ? {} : { sponsor: plan.sponsor, maxNetworkFeeLamports: networkFeeOf(plan) };
}

/** Returns the address of an agent's wallet. @throws AppError NOT_FOUND when it has none yet */
export async function walletAddressOf(wallets: WalletStore, agentId: string): Promise<string> {
  const address = await wallets.find(agentId);
  if (!address)
    throw new AppError('NOT_FOUND', { message: 'The agent has no wallet yet.', data: { resource: 'wallet' } });
  return address;
}
