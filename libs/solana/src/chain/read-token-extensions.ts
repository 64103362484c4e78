import { ShapeError } from './shapes.js';

/** A token account without extensions. */
export const TOKEN_ACCOUNT_BYTES = 165;

/** Token-2022 pads a mint to the size of a token account, so that the type byte stands at one place for both. */
export const ACCOUNT_TYPE_AT = TOKEN_ACCOUNT_BYTES;

/** One extension of a mint or token account of Token-2022. */
interface TokenExtension {
  readonly type: number;
  readonly value: Buffer;
}

/**
 * Reads the extensions of a mint or token account; empty when it has no room for any. Reads type, length and value
 * until the type is 0 or the account ends.
 * @throws ShapeError
 */
export function readTokenExtensions(bytes: Buffer): TokenExtension[] {
  const found: TokenExtension[] = [];
  for (let at = ACCOUNT_TYPE_AT + 1; at + 4 <= bytes.length;) {
    const type = bytes.readUInt16LE(at);
    const length = bytes.readUInt16LE(at + 2);
    if (type === 0) break;
    if (at + 4 + length > bytes.length) throw new ShapeError('an extension is longer than its account');
    found.push({ type, value: bytes.subarray(at + 4, at + 4 + length) });
    at += 4 + length;
  }
  return found;
}
