import { RecentlyUsed } from '@agent-wallet/kernel';
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { associatedTokenAddress, type TokenHolding } from '../addresses/associated-token-address.js';

const publicKeys = new RecentlyUsed<PublicKey>(10_000);
/** Returns a key of the SDK. Recent keys are cached, because creating one is expensive. */
export const publicKey = (address: string): PublicKey => publicKeys.useOrMake(address, () => new PublicKey(address));

/** Builds the creation of a wallet's associated token account, which does nothing where there is one. */
export function accountCreation(payer: string, holding: TokenHolding): TransactionInstruction {
  return createAssociatedTokenAccountIdempotentInstruction(
    publicKey(payer),
    publicKey(associatedTokenAddress(holding)),
    publicKey(holding.owner),
    publicKey(holding.mint),
    publicKey(holding.tokenProgram),
  );
}

/** Builds a payment of the native coin. */
export function nativePayment(wallet: string, to: string, lamports: bigint): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: publicKey(wallet), toPubkey: publicKey(to), lamports });
}
