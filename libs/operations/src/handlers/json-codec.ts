import { baseUnits, formatAmount, type RequestedAmount } from '@agent-wallet/kernel';
import { z } from 'zod';

/** A value that `JSON.stringify` writes and `JSON.parse` returns. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; undefined members are left out of the text. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/**
 * Between a request or a plan and the JSON of its row. The store is the only caller.
 *
 * A decoder knows every member or rejects the JSON: what it would overlook might be about money. Replicas of two versions share
 * the rows during a rolling update and after a rollback, so a change takes two releases:
 *
 * 1. the decoder learns the new member, as `optional`, or the new text or variant, and nothing writes it yet;
 * 2. the release after that writes it. A member goes the same way backwards: first nothing writes it, then it is removed.
 *
 * An operation that still cannot be read is parked: it is tried again every minute, counted in
 * `agentwallet.operations.unreadable`, and operators see why.
 */
export interface JsonCodec<Value> {
  /** @throws TypeError for what `decode` would reject; nothing is written then */
  encode(value: Value): JsonObject;
  /** @throws UnreadableJson for everything but the result of `encode` */
  decode(json: unknown): Value;
}

/** Codecs of the requests and the plans of one kind of operation. */
export interface OperationCodec<Request, Plan> {
  readonly request: JsonCodec<Request>;
  readonly plan: JsonCodec<Plan>;
}

/** A stored request or plan that this version of the service does not understand. */
export class UnreadableJson extends Error {
  override readonly name = 'UnreadableJson';
}

/** The schema of a member of a request or plan. Its error states what the member must be. */
export type Field<Value> = z.ZodType<Value, JsonValue>;

/** A member that may be absent. */
export type OptionalField<Value> = z.ZodOptional<Field<Value>>;

/** A field for every member: `optional(…)` for those, and only those, that may be absent. */
export type FieldsOf<Value> = {
  readonly [Key in keyof Value]-?: object extends Pick<Value, Key>
    ? OptionalField<Exclude<Value[Key], undefined>>
    : Field<Value[Key]>;
};

/** A string. */
export const text: Field<string> = z.string('a string');
/** A number without a fraction, which a double holds exactly: times in milliseconds, small counts. */
export const integer: Field<number> = z.int('an integer');
/** True or false. */
export const flag: Field<boolean> = z.boolean('true or false');

/** Creates a field that accepts one of these strings. */
export function oneOf<const Text extends string>(...texts: readonly Text[]): Field<Text> {
  return z.enum(texts, `one of ${texts.join(', ')}`);
}

const DIGITS = 'an amount in decimal digits';
const RAW = 'raw:';

/**
 * Creates a bigint field, stored as a decimal string.
 * @param make a constructor of the kernel: `baseUnits`, `usdMicros`. It throws a RangeError for what is out of range.
 */
export function amountOf<Amount extends bigint>(make: (putative: bigint) => Amount): Field<Amount> {
  const isInRange = (putative: unknown) => {
    try {
      return typeof putative === 'bigint' && make(putative) === putative;
    } catch {
      return false;
    }
  };
  return z.codec(
    z.string(DIGITS).regex(/^(0|-?[1-9]\d{0,38})$/, DIGITS),
    z.custom<Amount>(isInRange, `${DIGITS} within its range`),
    { decode: (digits) => BigInt(digits) as Amount, encode: String },
  );
}

/** Any amount that is not negative. */
export const amount = amountOf((putative: bigint) => {
  if (putative < 0n) throw new RangeError(`an amount must not be negative: ${putative}`);
  return putative;
});

/** A change: an amount with a sign. */
export const signedAmount = amountOf((putative: bigint) => putative);

/**
 * An amount of a token whose decimals are not known yet, stored as its decimal text; or base units, stored as `raw:` and
 * their digits.
 */
export const requestedAmount: Field<RequestedAmount> = z.codec(
  // Not `readDecimal`, which bounds the text of callers: what was accepted may be written longer, and is read again.
  z.string('a decimal number').regex(/^(raw:[1-9]\d{0,19}|\d+(\.\d+)?)$/, 'a decimal number'),
  z.custom<RequestedAmount>(),
  {
    decode: (stored) => {
      if (stored.startsWith(RAW)) return baseUnits(BigInt(stored.slice(RAW.length)));
      const [whole = '', fraction = ''] = stored.split('.');
      return { digits: BigInt(whole + fraction), scale: fraction.length };
    },
    encode: (given) => (typeof given === 'bigint' ? `${RAW}${given}` : formatAmount(given.digits, given.scale)),
  },
);

/** Makes a field optional. Undefined is stored as an absent member. */
export function optional<Value>(field: Field<Value>): OptionalField<Value> {
  return z.optional(field);
}

/** Creates a list field with any number of elements. */
export function list<Value>(field: Field<Value>): Field<readonly Value[]> {
  return z.array(field, 'a list');
}

/**
 * Creates an object field with exactly these members. A new member is decoded one release before it is written: see
 * `JsonCodec`.
 */
export function record<Value extends object>(fields: FieldsOf<Value>): Field<Value> {
  return z.strictObject(fields, 'an object') as unknown as Field<Value>;
}

/**
 * Creates an object field whose other members depend on one of them: a state, a kind.
 * @param key that member
 * @param variants for each of its values the fields of all other members
 */
export function variants<Union extends object, Key extends keyof Union & string>(
  key: Key,
  variants: { readonly [Name in Union[Key] & string]: FieldsOf<Omit<Extract<Union, Record<Key, Name>>, Key>> },
): Field<Union> {
  const shapes = Object.entries(variants as Readonly<Record<string, z.ZodRawShape>>);
  const options = shapes.map(([name, fields]) => z.strictObject({ [key]: z.literal(name), ...fields }, 'an object'));
  const names = `one of ${Object.keys(variants).join(', ')}`;
  const error = ({ code }: { readonly code: string }) => (code === 'invalid_union' ? names : 'an object');
  return z.discriminatedUnion(key, options as never, { error });
}

/** Creates the codec of a request that is a `record` or `variants`. */
export function requestCodec<Request extends object>(field: Field<Request>): JsonCodec<Request> {
  return objectCodec(field, 'request');
}

/** Creates the codec of a plan that is a `record` or `variants`. */
export function planCodec<Plan extends object>(field: Field<Plan>): JsonCodec<Plan> {
  return objectCodec(field, 'plan');
}

function objectCodec<Value extends object>(field: Field<Value>, name: string): JsonCodec<Value> {
  return {
    encode(value) {
      const { data, error } = z.safeEncode(field, value);
      if (error) throw new TypeError(`not stored: ${problemOf(error, name)}`);
      return data as JsonObject;
    },
    decode(json) {
      const { data, error } = z.safeDecode(field, json as JsonValue);
      if (error) throw new UnreadableJson(problemOf(error, name));
      return data;
    },
  };
}

/** Describes the first problem: `plan.orders[1].count must be an integer`. */
function problemOf({ issues }: z.ZodError, name: string): string {
  const { path, message, ...issue } = issues[0]!;
  const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  if (issue.code === 'unrecognized_keys') return `${name}${at}.${issue.keys[0]} must be absent`;
  return `${name}${at} must be ${message}`;
}
