import { createHash } from 'node:crypto';
import { AttestationRefused } from './attestation-refused.js';

const HEAD = Buffer.from('agentwallet/attestation/v1\n');
const LENGTH_BYTES = 2;
const MAX_TEXT_BYTES = 256;
/** Bytes of a digest and of an Ed25519 public key. */
const HASH_BYTES = 32;

/** Bounds of a nonce's length. */
export const NONCE_BYTES = { min: 16, max: 64 } as const;

/** A signer boot's statement about itself, for one nonce. */
export interface Statement {
  /** Nonce chosen by the requester, 16 to 64 bytes. */
  readonly nonce: Uint8Array;
  /** The vault's driver. */
  readonly driver: string;
  /** Isolation of the keys from the machine's operator, in words. */
  readonly isolation: string;
  /** SHA-256 of the program. */
  readonly buildDigest: Uint8Array;
  /** The boot's Ed25519 public key. */
  readonly ephemeralKey: Uint8Array;
  /** See {@link permitKeysHash}. */
  readonly permitKeysHash: Uint8Array;
}

/** Reports whether bytes may be a nonce. */
export function isNonce({ length }: Uint8Array): boolean {
  return length >= NONCE_BYTES.min && length <= NONCE_BYTES.max;
}

/**
 * Encodes the statement: a line that names its purpose, then each field behind its length of two bytes, in the order of
 * {@link Statement}. Each statement has exactly one form.
 * @throws TypeError for a field of another length
 */
export function statementBytes(statement: Statement): Buffer {
  const fields = [
    statement.nonce,
    Buffer.from(statement.driver),
    Buffer.from(statement.isolation),
    statement.buildDigest,
    statement.ephemeralKey,
    statement.permitKeysHash,
  ];
  if (!areFields(fields)) throw new TypeError('a field of the statement has a wrong length');
  return Buffer.concat([HEAD, ...fields.flatMap((field) => [lengthOf(field), field])]);
}

/** Reads what {@link statementBytes} wrote, and nothing else. @throws AttestationRefused malformed */
export function readStatement(bytes: Uint8Array): Statement {
  const given = Buffer.from(bytes);
  const fields = fieldsOf(given);
  if (!fields || !areFields(fields)) throw malformed();
  const [nonce, driver, isolation, buildDigest, ephemeralKey, permitKeysHash] = fields as [Buffer, Buffer, ...Buffer[]];
  const statement: Statement = {
    nonce,
    driver: driver.toString(),
    isolation: isolation!.toString(),
    buildDigest: buildDigest!,
    ephemeralKey: ephemeralKey!,
    permitKeysHash: permitKeysHash!,
  };
  // Texts that are not UTF-8 would read as others than they are.
  if (!statementBytes(statement).equals(given)) throw malformed();
  return statement;
}

/** Returns the binding of evidence: SHA-256 of the statement's bytes. */
export function bindingOf(statement: Uint8Array): Buffer {
  return createHash('sha256').update(statement).digest();
}

function fieldsOf(bytes: Buffer): Buffer[] | undefined {
  if (!bytes.subarray(0, HEAD.length).equals(HEAD)) return undefined;
  const fields: Buffer[] = [];
  for (let at = HEAD.length; at < bytes.length;) {
    if (at + LENGTH_BYTES > bytes.length) return undefined;
    const from = at + LENGTH_BYTES;
    at = from + bytes.readUInt16BE(at);
    if (at > bytes.length) return undefined;
    fields.push(bytes.subarray(from, at));
  }
  return fields;
}

function areFields(fields: readonly Uint8Array[]): boolean {
  if (fields.length !== 6) return false;
  const [nonce, driver, isolation, ...hashes] = fields;
  const areTexts = [driver!, isolation!].every(({ length }) => length > 0 && length <= MAX_TEXT_BYTES);
  return isNonce(nonce!) && areTexts && hashes.every(({ length }) => length === HASH_BYTES);
}

function lengthOf(field: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(field.length);
  return length;
}

function malformed(): AttestationRefused {
  return new AttestationRefused('malformed', 'the statement is not in its one form');
}
