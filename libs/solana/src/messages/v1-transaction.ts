import { ADDRESS_BYTES } from '../addresses/address.js';
import { MalformedMessage, MessageReader } from './decode-message.js';
import { SIGNATURE_BYTES } from './transaction.js';

/** First byte of the transaction. Older versions begin with the number of signatures, which never has the highest bit. */
const V1_PREFIX = 0x81;
/** Version, three counts of the header, config mask, blockhash, and the counts of instructions and addresses. */
const HEAD_BYTES = 1 + 3 + 4 + 32 + 1 + 1;

/** The parts of a version 1 transaction that say who signed it and which accounts it names. */
interface V1Transaction {
  readonly signatures: readonly Uint8Array[];
  readonly message: Uint8Array;
  /** All addresses: this version takes none from tables. */
  readonly keys: readonly Uint8Array[];
}

/** Reports whether the bytes are a transaction of version 1. */
export function isV1Transaction(transaction: Uint8Array): boolean {
  return transaction[0] === V1_PREFIX;
}

/**
 * Splits a version 1 transaction (SIMD-0385): the message comes first, the signatures last. Instructions are not
 * decoded. Nothing of this version is ever signed here.
 * @throws MalformedMessage
 */
export function readV1Transaction(transaction: Uint8Array): V1Transaction {
  const reader = new MessageReader(transaction);
  if (reader.byte() !== V1_PREFIX) throw new MalformedMessage('the transaction is not of version 1');
  const requiredSignatures = reader.byte();
  reader.take(HEAD_BYTES - 3);
  const keyCount = reader.byte();
  const keys = Array.from({ length: keyCount }, () => reader.take(ADDRESS_BYTES));
  const messageBytes = transaction.length - requiredSignatures * SIGNATURE_BYTES;
  if (
    requiredSignatures === 0 ||
    requiredSignatures > keyCount ||
    messageBytes < HEAD_BYTES + keyCount * ADDRESS_BYTES
  ) {
    throw new MalformedMessage('the signatures do not fit the message');
  }
  const signatures = Array.from({ length: requiredSignatures }, (_, i) =>
    transaction.subarray(messageBytes + i * SIGNATURE_BYTES, messageBytes + (i + 1) * SIGNATURE_BYTES),
  );
  return { signatures, message: transaction.subarray(0, messageBytes), keys };
}
