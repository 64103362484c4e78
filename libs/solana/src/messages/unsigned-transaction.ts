import { decodeMessage } from './decode-message.js';
import { assembleTransaction, SIGNATURE_BYTES } from './transaction.js';

/**
 * Returns a message as a transaction without signatures: zeros at the place of each signature.
 * @throws MalformedMessage
 */
export function unsignedTransaction(message: Uint8Array): Uint8Array {
  const { requiredSignatures } = decodeMessage(message);
  return assembleTransaction(
    message,
    Array.from({ length: requiredSignatures }, () => new Uint8Array(SIGNATURE_BYTES)),
  );
}
