import {
  AmountError,
  type AmountFields,
  type AmountProblem,
  formatAmount,
  MAX_BASE_UNITS,
  parseUsd,
  type Problem,
  PROBLEM_OF_AMOUNT,
  readDecimal,
  USD_DECIMALS,
} from '@agent-wallet/kernel';
import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { ADDRESS_PATTERN } from './units.js';

/** The machine-readable part of an issue that our own checks raise. */
interface Params {
  readonly problem: Problem;
}

/** Describes a failed check: a text for people and a problem code for programs. */
export const failed = (error: string, problem: Problem) => ({ error, params: { problem } satisfies Params });

/** Returns a field that takes a JSON number and nothing else, as its text. */
export const numberText = () =>
  z.unknown().transform((value, context): string => {
    if (value instanceof LosslessNumber) return value.value;
    const isMissing = value === undefined;
    const params = { problem: isMissing ? 'required' : 'wrong_type' } satisfies Params;
    context.addIssue({ code: 'custom', message: isMissing ? 'is required' : notANumber(value), params });
    return z.NEVER;
  });

/** Says why a value is not a number; for one in quotes, how to write it. */
function notANumber(value: unknown): string {
  const isQuoted = typeof value === 'string' && /^-?\d{1,40}(\.\d{1,40})?$/.test(value);
  return `must be a JSON number${isQuoted ? `: write ${value}, without quotes` : ''}`;
}

type Reasons = Partial<Record<AmountProblem, string>>;

/** Reads a number's text; what is wrong with it is said as the field says it, or else as the kernel does. */
export function reading<T>(read: (text: string) => T, reasons: Reasons = {}, problem?: Problem) {
  return (text: string, context: z.RefinementCtx): T => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof AmountError)) throw error;
      const params = { problem: problem ?? PROBLEM_OF_AMOUNT[error.problem] } satisfies Params;
      context.addIssue({ code: 'custom', message: reasons[error.problem] ?? error.message, params });
      return z.NEVER;
    }
  };
}

/** Looks at the sign before the size: of -1e400 the sign is what is wrong. */
function refuseNegative(text: string): void {
  if (text.startsWith('-')) throw new AmountError('not_positive', 'must be greater than 0');
}

/** Longest canonical text: what is longer fits no token, and its owner refuses it by the caller's own text. */
const MAX_CANONICAL_LENGTH = 100;

/** Checks a positive number and writes it in its one canonical way: `1.50` and `15e-1` are `1.5`. */
function canonicalDecimal(text: string): string {
  refuseNegative(text);
  const { digits, scale } = readDecimal(text);
  if (digits === 0n) throw new AmountError('not_positive', 'must be greater than 0');
  const canonical = formatAmount(digits, scale);
  return canonical.length > MAX_CANONICAL_LENGTH ? text : canonical;
}

/**
 * Returns a field for an amount in a token's standard unit, as canonical decimal text. The owner of the operation makes
 * base units of it.
 */
export const amountField = (description = "Amount in the token's standard unit, e.g. 1.5.") =>
  numberText()
    .transform(reading(canonicalDecimal))
    .meta({ type: 'number', exclusiveMinimum: 0, 'x-unit': 'TokenAmount', description });

const MAX_LIMIT_USD = 1_000_000_000;
const LIMIT_REASONS: Reasons = {
  too_large: `must be at most ${MAX_LIMIT_USD}`,
  too_many_decimals: `must have at most ${USD_DECIMALS} decimals`,
};

/** Returns a field for base units, as digits in a text: exact, where a JSON number would not be. */
export const baseUnitsField = (description: string) =>
  z
    .string('must be digits in a text')
    .regex(/^[1-9]\d*$/, { error: 'must be digits in a text, above 0 and without a leading zero', abort: true })
    .refine(isU64, failed(`must be at most ${MAX_BASE_UNITS}`, 'out_of_range'))
    .meta({ pattern: String.raw`^[1-9]\d{0,19}$`, 'x-unit': 'BaseUnits', description });

/** Compares the length first: a body has room for many digits. */
const isU64 = (digits: string) => digits.length <= 20 && BigInt(digits) <= MAX_BASE_UNITS;

/** Returns the fields of an amount, of which a request has one. */
export const amountFields = (description?: string) => ({
  amount: amountField(description).optional(),
  amountRaw: baseUnitsField('In base units, in place of `amount`.').optional(),
});

/** An amount as a request names it. */
interface GivenAmount {
  readonly amount?: string | undefined;
  readonly amountRaw?: string | undefined;
}

/** Checks also a body of which other fields are wrong, so that each problem is named at once. */
const always = { when: ({ value }: z.core.ParsePayload) => typeof value === 'object' && value !== null };

/** Returns a body that takes one of two fields for the same value at most. */
export const notBoth = <Body extends z.ZodObject>(body: Body, name: string, exactName = `${name}Raw`): Body =>
  body.refine((given) => !(Object.hasOwn(given, name) && Object.hasOwn(given, exactName)), {
    ...always,
    ...failed(`must not be given together with ${name}`, 'duplicate'),
    path: [exactName],
  });

/** Returns a body that takes exactly one of `amount` and `amountRaw`. */
export const oneAmount = <Body extends z.ZodObject>(body: Body): Body =>
  notBoth(body, 'amount').refine((given) => Object.hasOwn(given, 'amount') || Object.hasOwn(given, 'amountRaw'), {
    ...always,
    ...failed('is required, or amountRaw', 'required'),
    path: ['amount'],
  });

/** An amount as services take it: the text is empty beside base units. */
interface ServiceAmount extends AmountFields {
  readonly amountRaw: bigint | undefined;
}

/** Returns the amount of a request as services take it. */
export function amountOf({ amount = '', amountRaw }: GivenAmount): ServiceAmount {
  return { amount, amountRaw: amountRaw === undefined ? undefined : BigInt(amountRaw) };
}

/** Dollars greater than 0, as micro-dollars. */
const limitNumber = () =>
  numberText().transform(
    reading((text) => {
      refuseNegative(text);
      const micros = parseUsd(text);
      if (micros === 0n) throw new AmountError('not_positive', 'must be greater than 0');
      if (micros > BigInt(MAX_LIMIT_USD) * 1_000_000n) throw new AmountError('too_large', 'is too large');
      return BigInt(micros);
    }, LIMIT_REASONS),
  );

const LIMIT_META = { exclusiveMinimum: 0, maximum: MAX_LIMIT_USD, 'x-unit': 'Usd' } as const;

/** Returns a field for a limit in dollars, as micro-dollars. */
export const limitField = (description: string) =>
  limitNumber()
    .optional()
    .meta({ type: 'number', ...LIMIT_META, description });

/** Returns a field for a limit in dollars, as micro-dollars, or null, which clears it. */
export const limitOrNullField = (description: string) =>
  limitNumber()
    .meta({ type: 'number', ...LIMIT_META })
    .nullable()
    .optional()
    .meta({ description });

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Name of its schema in openapi.json; a number of things when omitted. */
  readonly unit?: string;
}

const integerMeta = ({ min, max, unit = 'Count' }: Bounds, description: string) =>
  ({ type: 'integer', minimum: min, maximum: max, 'x-unit': unit, description }) as const;

const isWithin = (value: number, { min, max }: Bounds) => value >= min && value <= max;

const integerReason = ({ min, max }: Bounds) => `must be an integer from ${min} to ${max}`;

/** Returns a field for an integer within bounds, given as a JSON number. */
export const requiredInteger = (bounds: Bounds, description: string) => {
  const reason = integerReason(bounds);
  const read = (text: string): number => {
    const { negative, digits, scale } = readDecimal(text);
    const unit = 10n ** BigInt(scale);
    const value = Number(digits / unit);
    if (negative || digits % unit !== 0n || !isWithin(value, bounds)) {
      throw new AmountError('not_a_number', reason);
    }
    return value;
  };
  return numberText()
    .transform(reading(read, { not_a_number: reason, too_large: reason, too_many_decimals: reason }, 'out_of_range'))
    .meta(integerMeta(bounds, description));
};

/** Takes percent above 0 with at most 2 decimals, as basis points. */
const percentNumber = (maxPercent: number) => {
  const reason = `must be greater than 0, at most ${maxPercent}, with at most 2 decimals`;
  const read = (text: string): number => {
    const { negative, digits, scale } = readDecimal(text);
    const unit = 10n ** BigInt(scale);
    const hundredths = digits * 100n;
    const bps = Number(hundredths / unit);
    if (negative || hundredths % unit !== 0n || !isWithin(bps, { min: 1, max: maxPercent * 100 })) {
      throw new AmountError('not_a_number', reason);
    }
    return bps;
  };
  const reasons = { not_a_number: reason, too_large: reason, too_many_decimals: reason };
  return numberText().transform(reading(read, reasons, 'out_of_range'));
};

const percentMeta = (maxPercent: number) =>
  ({ type: 'number', exclusiveMinimum: 0, maximum: maxPercent, 'x-unit': 'PercentNumber' }) as const;

/** Returns a field for an optional percentage, as basis points. */
export const percentField = (maxPercent: number, description: string) =>
  percentNumber(maxPercent)
    .optional()
    .meta({ ...percentMeta(maxPercent), description });

/** Returns a field for a percentage, as basis points, or null, which clears it. */
export const percentOrNullField = (maxPercent: number, description: string) =>
  percentNumber(maxPercent).meta(percentMeta(maxPercent)).nullable().optional().meta({ description });

/** Returns a field for an optional integer within bounds. */
export const integerField = (bounds: Bounds, description: string) =>
  requiredInteger(bounds, description).optional().meta(integerMeta(bounds, description));

/** Returns a field for an integer within bounds that has a default. */
export const integerOr = (bounds: Bounds & { readonly default: number }, description: string) =>
  integerField(bounds, description)
    .transform((value) => value ?? bounds.default)
    .meta({ ...integerMeta(bounds, description), default: bounds.default });

/** Returns a field for a switch in a body: off by default. */
export const flagField = (description: string) =>
  z.boolean('must be true or false').default(false).meta({ description });

/** Returns a field for an integer within bounds, given in the query. */
export const queryInteger = (bounds: Bounds & { readonly default: number }, description: string) =>
  z
    .string('must be given once')
    .refine(
      (text) => /^\d+$/.test(text) && isWithin(Number(text), bounds),
      failed(integerReason(bounds), 'out_of_range'),
    )
    .optional()
    .transform((text) => (text === undefined ? bounds.default : Number(text)))
    .meta({ ...integerMeta(bounds, description), default: bounds.default });

/** Returns a field for a switch in the query: off by default. */
export const queryFlag = (description: string) =>
  z
    .string('must be true or false')
    .refine((text) => text === 'true' || text === 'false', 'must be true or false')
    .optional()
    .transform((text) => text === 'true')
    .meta({ type: 'boolean', default: false, description });

/** Returns a field for a switch in the query without a default. */
export const optionalQueryFlag = (description: string) =>
  z
    .string('must be true or false')
    .refine((text) => text === 'true' || text === 'false', 'must be true or false')
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description });

/** Returns a field for an optional instant in the query, as canonical text. */
export const queryTime = (description: string) =>
  z
    .string(BAD_TIME)
    .refine((text) => TIME_PATTERN.test(text) && !Number.isNaN(Date.parse(text)), failed(BAD_TIME, 'invalid_format'))
    .transform((text) => new Date(text).toISOString())
    .optional()
    .meta({ type: 'string', format: 'date-time', description });

/** Years before 1970 have no records. */
const TIME_PATTERN = /^(19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;
const BAD_TIME = 'must be a time in UTC such as 2026-11-21T10:02:00Z';

const MAX_CENTS = 1_000_000_000_00n;

/** Returns a field for an amount of dollars in whole cents, as canonical decimal text. */
export const centsField = (description: string) =>
  numberText()
    .transform(
      reading((text) => {
        refuseNegative(text);
        const { digits, scale } = readDecimal(text);
        if (digits === 0n) throw new AmountError('not_positive', 'must be greater than 0');
        const unit = 10n ** BigInt(scale);
        if ((digits * 100n) % unit !== 0n) throw new AmountError('too_many_decimals', CENTS_REASON);
        if ((digits * 100n) / unit > MAX_CENTS) throw new AmountError('too_large', 'is too large');
        return formatAmount(digits, scale);
      }),
    )
    .meta({
      type: 'number',
      exclusiveMinimum: 0,
      maximum: Number(MAX_CENTS / 100n),
      'x-unit': 'DollarAmount',
      description,
    });

const CENTS_REASON = 'must have at most 2 decimals';

/**
 * Excludes Unicode's control characters, in a form that all dialects of regular expressions know. Halves of characters
 * cannot be excluded in such a form.
 */
const WITHOUT_CONTROLS = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;

/** Returns a field for text without control characters, halves of characters and blanks around it. */
export const textField = (max: number, description: string) =>
  z
    .string('must be a string')
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')
    .meta({ pattern: WITHOUT_CONTROLS, description });

/** Returns a field for optional text in the query; empty by default. */
export const optionalText = (max: number, description: string) =>
  z
    .string('must be given once')
    .trim()
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')
    .default('')
    .meta({ pattern: WITHOUT_CONTROLS, description });

const MAX_CURSOR_LENGTH = 1_000;

/** Returns a field for the cursor of a page. */
export const queryCursor = (description = '`cursor` of the previous page; empty for the first.') =>
  z
    .string(BAD_CURSOR)
    .max(MAX_CURSOR_LENGTH, BAD_CURSOR)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), BAD_CURSOR)
    .default('')
    .meta({ pattern: WITHOUT_CONTROLS, description });

const BAD_CURSOR = 'is not valid. Use the cursor of the previous page, or omit it.';

/** Returns a field for the memo on chain: bounded in bytes. */
export const memoField = (maxBytes: number) =>
  z
    .string('must be a string')
    .refine((text) => !/[\0\p{Cs}]/u.test(text), 'must be valid text')
    .refine((text) => Buffer.byteLength(text) <= maxBytes, failed(`must have at most ${maxBytes} bytes`, 'too_long'))
    .optional()
    .meta({
      // A character has a byte or more: what is longer in characters is longer in bytes.
      maxLength: maxBytes,
      pattern: String.raw`^[^\u0000]*$`,
      description: `Goes on chain, at most ${maxBytes} bytes of UTF-8.`,
    });

/** Returns a field for a text in the shape of a wallet address: base58 of 32 bytes. The policy service looks closer. */
export const addressText = () => z.string('must be a string').trim().regex(ADDRESS_PATTERN, 'must be a wallet address');

/** Returns a field for a UUID that a person may paste, in lower case. */
export const uuidField = (reason: string) => z.string(reason).trim().toLowerCase().check(z.uuid(reason));

/** Returns a list of different texts with a maximum length. */
export const uniqueList = <Entry extends z.ZodType<string>>(entry: Entry, max: number) =>
  z
    .array(entry, 'must be an array of strings')
    .max(max, `must have at most ${max} entries`)
    .refine((list) => new Set(list).size === list.length, {
      error: 'must not contain an entry twice',
      params: { problem: 'duplicate' },
    });

/** Returns the body of a request that needs none. */
export const emptyBody = () => z.strictObject({}).meta({ id: 'EmptyRequest' }).optional();

/** Returns a field for a mailed code. */
export const otpCodeField = () =>
  z
    .string('must be a string')
    .trim()
    .regex(/^[0-9]{6}([0-9]{6})?$/, 'must be 6 or 12 digits')
    .meta({ description: 'Six digits, as a string; twelve if the mail has twelve.' });
