import { requiredSigners } from './message-facts.js';
import { assembleTransaction, SIGNATURE_BYTES } from './transaction.js';
import { verifySignature } from './verify-signature.js';

/**
 * Assembles the transaction of a message, with each signer's signature at its place.
 * @param signatures by base58 address of the signer; those of others are left out
 * @param signsLater base58 address of a signer whose place is left at zeros
 * @returns undefined unless the signature of every other signer is there and good
 * @throws MalformedMessage
 */
export function assembleVerified(
  message: Uint8Array,
  signatures: ReadonlyMap<string, Uint8Array>,
  signsLater?: string,
): Uint8Array | undefined {
  const ordered: Uint8Array[] = [];
  for (const signer of requiredSigners(message)) {
    if (signer === signsLater) {
      ordered.push(new Uint8Array(SIGNATURE_BYTES));
      continue;
    }
    const signature = signatures.get(signer);
    if (!signature || !verifySignature(message, signature, signer)) return undefined;
    ordered.push(signature);
  }
  return assembleTransaction(message, ordered);
}
