import { z } from 'zod';
import { readContracts, readDollars } from '../money/fixed-point.js';

function fixedPoint(read: (text: string) => bigint | undefined, allowed: (value: bigint) => boolean) {
  return z.string().transform((text, context): bigint => {
    const value = read(text);
    if (value !== undefined && allowed(value)) return value;
    context.addIssue({ code: 'custom', message: 'must be a decimal number of fixed precision' });
    return z.NEVER;
  });
}

const isNotNegative = (value: bigint) => value >= 0n;

/** Dollars as text; becomes micro-dollars, never negative. */
export const dollars = fixedPoint(readDollars, isNotNegative);

/** Dollars as text, of either sign. */
export const signedDollars = fixedPoint(readDollars, () => true);

/** A number of contracts as text; becomes hundredths, never negative. */
export const contracts = fixedPoint(readContracts, isNotNegative);

/** A number of contracts as text, of either sign. */
export const signedContracts = fixedPoint(readContracts, () => true);

/** Whole cents as a JSON number; becomes micro-dollars. */
export const cents = z.int().transform((value) => BigInt(value) * 10_000n);

/** An instant as RFC 3339 text; becomes Unix milliseconds. */
export const instant = z.string().transform((text, context): number => {
  const ms = Date.parse(text);
  if (Number.isFinite(ms)) return ms;
  context.addIssue({ code: 'custom', message: 'must be an instant' });
  return z.NEVER;
});

/** An instant that may be missing, empty, or the zero of the exchange's language. */
export const optionalInstant = z
  .string()
  .nullish()
  .transform((text) => {
    const ms = Date.parse(text ?? '');
    return ms > 0 ? ms : undefined;
  });

/** Text that may be missing; then it is empty. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** Creates a schema of a list that may be missing or null; then it is empty. */
export function list<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

/** A JSON number as the decimal text it was written as; empty when it is missing. */
export const numberText = z
  .number()
  .nullish()
  .transform((value) => (value === null || value === undefined ? '' : String(value)));

/** A name of the exchange: of a market, an event, a series, an order. Printable, since names are kept. */
export const name = z.string().regex(/^[ -~]{1,200}$/);

/** The shard of a row; the first where the exchange does not say. */
export const shard = z.int().min(0).default(0);

/** Start of the next page; empty after the last. */
export const cursor = text;
