import type { PlainJson } from './canonical-json.js';

/** A document that the page does not understand to the last field. It is neither shown nor signed. */
export class UnknownDocument extends Error {
  override readonly name = 'UnknownDocument';
}

/** Reads one value of a document, or throws. */
export type Read<Value> = (value: PlainJson, at: string) => Value;

/** An optional field of a shape. */
export interface Optional<Value> {
  readonly optional: Read<Value>;
}

type Shape = Readonly<Record<string, Read<unknown> | Optional<unknown>>>;
type ValueOf<Field> = Field extends Read<infer Value> ? Value : never;
type Required<S extends Shape> = {
  [Name in keyof S as S[Name] extends Read<unknown> ? Name : never]: ValueOf<S[Name]>;
};
type Possible<S extends Shape> = {
  [Name in keyof S as S[Name] extends Optional<unknown> ? Name : never]?: S[Name] extends Optional<infer V> ? V : never;
};

/** The values that a shape reads. */
export type Shaped<S extends Shape> = Readonly<Required<S> & Possible<S>>;

/** Refuses a document. */
export function refuse(at: string, problem: string): never {
  throw new UnknownDocument(`${at} ${problem}`);
}

/** Reads an object with exactly the fields of a shape. */
export function shaped<const S extends Shape>(shape: S): Read<Shaped<S>> {
  return (value, at) => {
    const fields = objectOf(value, at);
    for (const name of Object.keys(fields)) {
      if (!Object.hasOwn(shape, name)) refuse(`${at}.${name}`, 'is not known');
    }
    const read = Object.entries(shape).flatMap(([name, field]) => readField({ fields, name, field, at }));
    return Object.fromEntries(read) as Shaped<S>;
  };
}

interface FieldToRead {
  readonly fields: Readonly<Record<string, PlainJson>>;
  readonly name: string;
  readonly field: Read<unknown> | Optional<unknown>;
  readonly at: string;
}

function readField({ fields, name, field, at }: FieldToRead): Array<[string, unknown]> {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const isOptional = typeof field !== 'function';
  if (value === undefined) return isOptional ? [] : refuse(`${at}.${name}`, 'is missing');
  const read = isOptional ? field.optional : field;
  return [[name, read(value, `${at}.${name}`)]];
}

/** Returns the fields of an object. */
export function objectOf(value: PlainJson, at: string): Readonly<Record<string, PlainJson>> {
  if (typeof value === 'string' || Array.isArray(value)) return refuse(at, 'is not an object');
  return value as Readonly<Record<string, PlainJson>>;
}

/** Reads a text of a pattern. */
export function text(pattern: RegExp): Read<string> {
  return (value, at) => (typeof value === 'string' && pattern.test(value) ? value : refuse(at, 'is not as expected'));
}

/** Reads one of some words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Read<Word> {
  return (value, at) => words.find((word) => word === value) ?? refuse(at, 'is not known');
}

/** Reads a list. */
export function listOf<Value>(read: Read<Value>): Read<readonly Value[]> {
  return (value, at) =>
    Array.isArray(value)
      ? (value as PlainJson[]).map((each, index) => read(each, `${at}[${index}]`))
      : refuse(at, 'is not a list');
}

/** Reads what one of two readers can. */
export function either<One, Other>(one: Read<One>, other: Read<Other>): Read<One | Other> {
  return (value, at) => {
    try {
      return one(value, at);
    } catch {
      return other(value, at);
    }
  };
}

/** Reads a field that may be missing. */
export function optional<Value>(read: Read<Value>): Optional<Value> {
  return { optional: read };
}

export const anyText = text(/^[\s\S]*$/);
export const uuid = text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const digits = text(/^(0|[1-9]\d{0,19})$/);
export const address = text(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
export const base64url = text(/^[\w-]{1,4096}$/);
export const decimalText = text(/^(0|[1-9]\d{0,15})(\.\d{1,9})?$/);
export const trueOrFalse = oneOf('true', 'false');

/** Reads a time exactly as `toISOString()` writes it. */
export const isoTime: Read<string> = (value, at) => {
  if (typeof value !== 'string') return refuse(at, 'is not a time');
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value ? value : refuse(at, 'is not a time');
};
