import { createHash } from 'node:crypto';
import { decodeBase58, encodeBase58 } from '../addresses/base58.js';
import { MalformedMessage, MessageReader, compactU16 } from './decode-message.js';

/** Bytes of an Ed25519 signature. */
export const SIGNATURE_BYTES = 64;

/** Returns the SHA-256 of a serialized message. A permit is bound to this hash. */
export function messageHash(message: Uint8Array): Uint8Array {
  return createHash('sha256').update(message).digest();
}

/** Puts signatures, in the order of the message's signers, before a message: the bytes that a node takes. */
export function assembleTransaction(message: Uint8Array, signatures: readonly Uint8Array[]): Uint8Array {
  if (signatures.some((signature) => signature.length !== SIGNATURE_BYTES)) {
    throw new TypeError(`a signature has ${SIGNATURE_BYTES} bytes`);
  }
  return Buffer.concat([Uint8Array.from(compactU16(signatures.length)), ...signatures, message]);
}

/** Signatures and message of a serialized transaction. @throws MalformedMessage */
export function splitTransaction(transaction: Uint8Array): { signatures: Uint8Array[]; message: Uint8Array } {
  const reader = new MessageReader(transaction);
  const count = reader.compactU16();
  if (count === 0) throw new MalformedMessage('the transaction has no signature');
  const signatures: Uint8Array[] = [];
  for (let i = 0; i < count; i += 1) signatures.push(reader.take(SIGNATURE_BYTES));
  const headBytes = compactU16(count).length + count * SIGNATURE_BYTES;
  return { signatures, message: transaction.subarray(headBytes) };
}

/** Returns the base58 ID of a transaction: its first signature. @throws MalformedMessage */
export function transactionSignature(transaction: Uint8Array): string {
  return encodeBase58(splitTransaction(transaction).signatures[0]!);
}

/** Returns the base58 form of a signature. */
export function signatureText(signature: Uint8Array): string {
  if (signature.length !== SIGNATURE_BYTES) throw new TypeError(`a signature has ${SIGNATURE_BYTES} bytes`);
  return encodeBase58(signature);
}

/** Reports whether a text is the base58 form of 64 bytes. */
export function isSignature(putative: string): boolean {
  return decodeBase58(putative, SIGNATURE_BYTES) !== undefined;
}
