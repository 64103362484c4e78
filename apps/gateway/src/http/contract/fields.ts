import { AmountError, parseUsd, readDecimal } from '@agent-wallet/kernel';
import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';

/** The text of a JSON number; nothing else passes. */
const numberText = () =>
  z.unknown().transform((value, context): string => {
    if (value instanceof LosslessNumber) return value.value;
    context.addIssue({ code: 'custom', message: value === undefined ? 'is required' : 'must be a JSON number' });
    return z.NEVER;
  });

/** Reads a number's text; what the kernel says is wrong with it becomes the field's problem. */
function reading<T>(read: (text: string) => T) {
  return (text: string, context: z.RefinementCtx): T => {
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof AmountError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  };
}

/** An amount in a token's standard unit, kept as the text the caller wrote. */
export const amountField = () =>
  numberText()
    .transform(
      reading((text) => {
        const { negative, digits } = readDecimal(text);
        if (negative || digits === 0n) throw new AmountError('not_positive', 'must be greater than 0');
        return { numberText: text };
      }),
    )
    .meta({ type: 'number', exclusiveMinimum: 0, description: "Amount in the token's standard unit, e.g. 1.5." });

const MAX_LIMIT_USD = 1_000_000_000;

/** A limit in dollars, as micro-dollars. */
export const limitField = (description: string) =>
  numberText()
    .transform(
      reading((text) => {
        const micros = parseUsd(text);
        if (micros === 0n) throw new AmountError('not_positive', 'must be greater than 0');
        if (micros > BigInt(MAX_LIMIT_USD) * 1_000_000n)
          throw new AmountError('too_large', `must be at most ${MAX_LIMIT_USD}`);
        return BigInt(micros);
      }),
    )
    .optional()
    .meta({ type: 'number', exclusiveMinimum: 0, maximum: MAX_LIMIT_USD, description });

/** An integer within bounds, given as a JSON number. */
export const integerField = (bounds: { min: number; max: number }, description: string) =>
  numberText()
    .transform(
      reading((text) => {
        const { negative, digits, scale } = readDecimal(text);
        const unit = 10n ** BigInt(scale);
        const value = Number(digits / unit);
        if (negative || digits % unit !== 0n || value < bounds.min || value > bounds.max) {
          throw new AmountError('not_a_number', `must be an integer from ${bounds.min} to ${bounds.max}`);
        }
        return value;
      }),
    )
    .optional()
    .meta({ type: 'integer', minimum: bounds.min, maximum: bounds.max, description });

/** An integer within bounds, given in the query. */
export const queryInteger = (bounds: { min: number; max: number; default: number }, description: string) =>
  z
    .string('must be given once')
    .regex(/^\d{1,10}$/, 'must be an integer')
    .transform(Number)
    .refine((n) => n >= bounds.min && n <= bounds.max, `must be from ${bounds.min} to ${bounds.max}`)
    .default(bounds.default)
    .meta({ type: 'integer', minimum: bounds.min, maximum: bounds.max, default: bounds.default, description });

/** Text without control characters and without halves of characters. */
export const textField = (max: number, description: string) =>
  z
    .string('must be a string')
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')
    .meta({ description });

/** Text of the chain's memo: bounded in bytes. */
export const memoField = (maxBytes: number) =>
  z
    .string('must be a string')
    .refine((text) => !/[\0\p{Cs}]/u.test(text), 'must be valid text')
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `must have at most ${maxBytes} bytes`)
    .optional()
    .meta({ description: `Text that goes on chain with the transfer, at most ${maxBytes} bytes of UTF-8.` });

/** An e-mail address, case-folded. */
export const emailField = () =>
  z
    .string('must be a string')
    .max(254, 'must have at most 254 characters')
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.email('must be an e-mail address'))
    .meta({ type: 'string', format: 'email', description: "The owner's e-mail address." });

/** The shape of a wallet address: base58 of 32 bytes. The policy service looks closer. */
export const addressText = () =>
  z.string('must be a string').regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a wallet address');
