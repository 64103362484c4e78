import { type DecimalAmount, formatAmount } from '@agent-wallet/kernel';

/** What `JSON.stringify` writes and `JSON.parse` returns. */
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
  /** @throws RangeError for an amount that `decode` would reject; nothing is written then */
  encode(value: Value): JsonObject;
  /** @throws UnreadableJson for everything but the result of `encode` */
  decode(json: unknown): Value;
}

/** How the requests and the plans of one kind of operation are stored. */
export interface OperationCodec<Request, Plan> {
  readonly request: JsonCodec<Request>;
  readonly plan: JsonCodec<Plan>;
}

/** A stored request or plan that this version of the service does not understand. */
export class UnreadableJson extends Error {
  /** @param at the member's path: `plan.order.count` */
  constructor(at: string, expected: string) {
    super(`${at} must be ${expected}`);
    this.name = 'UnreadableJson';
  }
}

/** One member of a request or plan. */
export interface Field<Value> {
  readonly encode: (value: Value) => JsonValue;
  /** @param at its path, for errors */
  readonly decode: (json: unknown, at: string) => Value;
}

/** A member that may be absent. */
export interface OptionalField<Value> {
  readonly optional: Field<Value>;
}

/** A field for every member: `optional(…)` for those, and only those, that may be absent. */
export type FieldsOf<Value> = {
  readonly [Key in keyof Value]-?: object extends Pick<Value, Key>
    ? OptionalField<Exclude<Value[Key], undefined>>
    : Field<Value[Key]>;
};

const identity = <Value extends JsonValue>(expected: string, is: (json: unknown) => json is Value): Field<Value> => ({
  // What could not be read again is not stored.
  encode: (value) => {
    if (!is(value)) throw new TypeError(`a stored member must be ${expected}`);
    return value;
  },
  decode: (json, at) => {
    if (!is(json)) throw new UnreadableJson(at, expected);
    return json;
  },
});

/** A string. */
export const text = identity('a string', (json) => typeof json === 'string');
/** A number without a fraction, which a double holds exactly: times in milliseconds, small counts. */
export const integer = identity('an integer', (json): json is number => Number.isSafeInteger(json));
/** True or false. */
export const flag = identity('true or false', (json) => typeof json === 'boolean');

/** One of these strings. */
export function oneOf<const Text extends string>(...texts: readonly Text[]): Field<Text> {
  return identity(`one of ${texts.join(', ')}`, (json): json is Text => texts.some((each) => each === json));
}

/**
 * A bigint, stored as a decimal string.
 * @param make a constructor of the kernel: `baseUnits`, `usdMicros`. It throws a RangeError for what is out of range.
 */
export function amountOf<Amount extends bigint>(make: (putative: bigint) => Amount): Field<Amount> {
  return {
    encode: (value) => make(value).toString(),
    decode: (json, at) => {
      const expected = 'an amount in decimal digits';
      if (typeof json !== 'string' || !/^(0|-?[1-9]\d{0,38})$/.test(json)) throw new UnreadableJson(at, expected);
      try {
        return make(BigInt(json));
      } catch {
        throw new UnreadableJson(at, `${expected} within its range`);
      }
    },
  };
}

/** Any amount that is not negative. */
export const amount = amountOf((putative: bigint) => {
  if (putative < 0n) throw new RangeError(`an amount must not be negative: ${putative}`);
  return putative;
});
/** An amount of a token whose decimals are not known yet, stored as its decimal text. */
export const decimalAmount: Field<DecimalAmount> = {
  encode: ({ digits, scale }) => formatAmount(digits, scale),
  decode: (json, at) => {
    // Not `readDecimal`, which bounds the text of callers: what was accepted may be written longer, and is read again.
    if (typeof json !== 'string' || !/^\d+(\.\d+)?$/.test(json)) throw new UnreadableJson(at, 'a decimal number');
    const [whole = '', fraction = ''] = json.split('.');
    return { digits: BigInt(whole + fraction), scale: fraction.length };
  },
};

/** A change: an amount with a sign. */
export const signedAmount = amountOf((putative: bigint) => putative);

/** A member that may be absent. Undefined is stored as absent. */
export function optional<Value>(field: Field<Value>): OptionalField<Value> {
  return { optional: field };
}

/** Any number of the same. */
export function list<Value>(field: Field<Value>): Field<readonly Value[]> {
  return {
    encode: (values) => values.map((value) => field.encode(value)),
    decode: (json, at) => {
      if (!Array.isArray(json)) throw new UnreadableJson(at, 'a list');
      return json.map((value: unknown, index) => field.decode(value, `${at}[${index}]`));
    },
  };
}

/** Fields of any types, once their types are checked. */
type AnyFields = Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>;

/** An object of these members and no others. A new member is decoded one release before it is written: see `JsonCodec`. */
export function record<Value extends object>(fields: FieldsOf<Value>): Field<Value> {
  const all = fields as AnyFields;
  return {
    encode: (value) => encodeMembers(value, all),
    decode: (json, at) => decodeMembers(objectOf(json, at), all, at) as Value,
  };
}

/**
 * An object whose other members depend on one of them: a state, a kind.
 * @param key that member
 * @param variants for each of its values the fields of all other members
 */
export function variants<Union extends object, Key extends keyof Union & string>(
  key: Key,
  variants: { readonly [Name in Union[Key] & string]: FieldsOf<Omit<Extract<Union, Record<Key, Name>>, Key>> },
): Field<Union> {
  const names = oneOf(...Object.keys(variants));
  const fieldsOf = (name: string) => (variants as Readonly<Record<string, AnyFields>>)[name]!;
  return {
    encode: (value) => {
      const name = value[key] as string;
      return { [key]: name, ...encodeMembers(value, fieldsOf(name)) };
    },
    decode: (json, at) => {
      const { [key]: name, ...members } = objectOf(json, at);
      const known = names.decode(name, `${at}.${key}`);
      return { [key]: known, ...decodeMembers(members, fieldsOf(known), at) } as Union;
    },
  };
}

/** The codec of a request that is a `record` or `variants`. */
export function requestCodec<Request extends object>(field: Field<Request>): JsonCodec<Request> {
  return objectCodec(field, 'request');
}

/** The codec of a plan that is a `record` or `variants`. */
export function planCodec<Plan extends object>(field: Field<Plan>): JsonCodec<Plan> {
  return objectCodec(field, 'plan');
}

function objectCodec<Value extends object>(field: Field<Value>, name: string): JsonCodec<Value> {
  return {
    encode: (value) => field.encode(value) as JsonObject,
    decode: (json) => field.decode(json, name),
  };
}

function objectOf(json: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new UnreadableJson(at, 'an object');
  return json as Readonly<Record<string, unknown>>;
}

function encodeMembers(value: object, fields: AnyFields): JsonObject {
  const members = value as Readonly<Record<string, unknown>>;
  const encoded = Object.entries(fields).map(([key, field]) => {
    const member = members[key];
    if (!('optional' in field)) return [key, field.encode(member)];
    return [key, member === undefined ? undefined : field.optional.encode(member)];
  });
  return Object.fromEntries(encoded.filter(([, json]) => json !== undefined)) as JsonObject;
}

function decodeMembers(json: Readonly<Record<string, unknown>>, fields: AnyFields, at: string): object {
  const unknown = Object.keys(json).find((key) => !Object.hasOwn(fields, key));
  if (unknown !== undefined) throw new UnreadableJson(`${at}.${unknown}`, 'absent');
  const decoded = Object.entries(fields).map(([key, field]) => {
    const member = json[key];
    if (!('optional' in field)) return [key, field.decode(member, `${at}.${key}`)];
    return [key, member === undefined ? undefined : field.optional.decode(member, `${at}.${key}`)];
  });
  return Object.fromEntries(decoded.filter(([, value]) => value !== undefined)) as object;
}
