import { requiredSigners } from './message-facts.js';
import { assembleTransaction } from './transaction.js';
import { verifySignature } from './verify-signature.js';

/**
 * The transaction of a message, each signer's signature at its place.
 * @param signatures by base58 address of the signer; those of others are left out
 * @returns undefined unless every signer's signature is there and good
 * @throws MalformedMessage
 */
export function assembleVerified(
  message: Uint8Array,
  signatures: ReadonlyMap<string, Uint8Array>,
): Uint8Array | undefined {
  const ordered: Uint8Array[] = [];
  for (const signer of requiredSigners(message)) {
    const signature = signatures.get(signer);
    if (!signature || !verifySignature(message, signature, signer)) return undefined;
    ordered.push(signature);
  }
  return assembleTransaction(message, ordered);
}
