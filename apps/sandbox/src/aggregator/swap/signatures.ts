import { createPublicKey, verify } from 'node:crypto';
import type { Keypair } from '../../chain/keypair.js';
import { readTransaction } from '../../chain/message.js';
import type { WireTransaction } from '../../chain/wire-transaction.js';
import { type Key, keyBytes } from '../../encoding/keys.js';

/** DER prefix of an Ed25519 public key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

const SIGNATURE_BYTES = 64;

/** Whether a wallet has signed a transaction where it has to. */
export function hasSigned({ message, signatures }: WireTransaction, wallet: Key): boolean {
  const index = message.keys.indexOf(wallet);
  if (index < 0 || index >= message.requiredSignatures) return false;
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, keyBytes(wallet)]), format: 'der', type: 'spki' });
  return verify(null, message.bytes, publicKey, keyBytes(signatures[index]!));
}

/** The transaction with a co-signer's signature in its place. */
export function coSigned({ wire, message }: WireTransaction, signer: Keypair): WireTransaction {
  const index = message.keys.indexOf(signer.key);
  const signed = Buffer.from(wire);
  // One byte says how many signatures follow: there are never 128.
  signer.sign(message.bytes).copy(signed, 1 + index * SIGNATURE_BYTES);
  return readTransaction(signed);
}
