import type { PublicKey } from '@solana/web3.js';
import {
  type Keypair,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { World } from './world.js';

/** Lamports from one wallet to another. */
export function transfer(from: Keypair, to: PublicKey, lamports: number | bigint): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });
}

/** A signed version 0 transaction with the newest blockhash. */
export async function signed(
  world: World,
  payer: Keypair,
  ...instructions: TransactionInstruction[]
): Promise<VersionedTransaction> {
  const { blockhash } = await world.connection.getLatestBlockhash('confirmed');
  const message = new TransactionMessage({ payerKey: payer.publicKey, recentBlockhash: blockhash, instructions });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([payer]);
  return transaction;
}

/** As callers send who have checked everything themselves. */
export function sendBlindly(world: World, transaction: VersionedTransaction): Promise<string> {
  return world.connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true, maxRetries: 0 });
}

/** Where a signature stands; null when the node knows nothing. */
export async function statusOf(
  world: World,
  signature: string,
): Promise<{ slot: number; err: unknown; confirmationStatus?: string } | null> {
  const { value } = await world.connection.getSignatureStatuses([signature], { searchTransactionHistory: true });
  return value[0] as never;
}
