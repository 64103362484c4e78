import { isAddress } from '../addresses/address.js';

/** An answer that is not as documented. Found as the `cause` of the AppError. */
export class ShapeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ShapeError';
  }
}

/** A number that JSON.parse could not keep exactly: the text has to be parsed again without loss. */
export class InexactNumber extends ShapeError {}

/** An object with fields still to be read. */
export type Fields = Readonly<Record<string, unknown>>;

/** @throws ShapeError when the value is not an object */
export function readFields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ShapeError(`${what} is not an object`);
  return value as Fields;
}

/** @throws ShapeError when the value is not an array */
export function readArray(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ShapeError(`${what} is not an array`);
  return value as unknown[];
}

/** @throws ShapeError when the value is not a string */
export function readText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new ShapeError(`${what} is not a string`);
  return value;
}

/** @throws ShapeError when the value is not base58 text of 32 bytes */
export function readAddress(value: unknown, what: string): string {
  const text = readText(value, what);
  if (!isAddress(text)) throw new ShapeError(`${what} is not an address`);
  return text;
}

/** Reads a count, slot, height or time that a double holds exactly. @throws ShapeError */
export function readCount(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new ShapeError(`${what} is not a count`);
  return value;
}

const MAX_U64 = 2n ** 64n - 1n;

/** Reads a u64 written as a JSON number. @throws ShapeError; InexactNumber when parsing has already lost digits */
export function readU64(value: unknown, what: string): bigint {
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || value < 0) throw new ShapeError(`${what} is not a u64`);
    if (!Number.isSafeInteger(value)) throw new InexactNumber(`${what} lost digits`);
    return BigInt(value);
  }
  if (typeof value !== 'bigint' || value < 0n || value > MAX_U64) throw new ShapeError(`${what} is not a u64`);
  return value;
}

const DIGITS = /^(0|[1-9]\d{0,19})$/;

/** Reads a u64 written as a string of digits, as token amounts are. @throws ShapeError */
export function readU64Text(value: unknown, what: string): bigint {
  const text = readText(value, what);
  if (!DIGITS.test(text)) throw new ShapeError(`${what} is not a u64`);
  return readU64(BigInt(text), what);
}

/** Bytes as nodes write them: `[text, "base64"]`. @throws ShapeError */
export function readBase64(value: unknown, what: string): Uint8Array {
  const [text, encoding] = readArray(value, what);
  if (encoding !== 'base64') throw new ShapeError(`${what} is not in base64`);
  const bytes = Buffer.from(readText(text, what), 'base64');
  if (bytes.toString('base64') !== text) throw new ShapeError(`${what} is not base64`);
  return bytes;
}

/** A node's response about its ledger at one slot. */
export interface AtSlot<Value> {
  /** The slot at which the node looked. */
  readonly slot: number;
  readonly value: Value;
}

/** Reads the envelope `{context: {slot}, value}`. @throws ShapeError */
export function readAtSlot(result: unknown): AtSlot<unknown> {
  const { context, value } = readFields(result, 'the result');
  return { slot: readCount(readFields(context, 'the context').slot, 'the slot'), value };
}
