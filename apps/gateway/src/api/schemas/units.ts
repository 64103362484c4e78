import { z } from 'zod';

/*
 * The units of the API, each a schema of its own in openapi.json. A field takes a unit by calling it with what the field
 * means: `usd('What the wallet spent.')`. No number carries `multipleOf`: most validators divide floats and would refuse
 * 64.1, and generators of requests multiply them and send 0.5700000000000001. Descriptions name the decimals.
 */

type Meta = Readonly<Record<string, unknown>> & { readonly id: string; readonly description: string };

/** Returns a named schema; a field refers to it, and may describe it there. */
function named<T extends z.ZodType>(schema: T, meta: Meta): (description?: string) => T {
  const unit = schema.meta(meta);
  return (description) => (description === undefined ? unit : unit.meta({ description }));
}

export const usd = named(z.number(), { id: 'Usd', description: 'US dollars, at most 6 decimals.' });
export const dollarAmount = named(z.number(), {
  id: 'DollarAmount',
  description: 'An amount of US dollars, at most 6 decimals.',
});
export const dollarPrice = named(z.string().regex(/^\d{1,12}(\.\d{1,6})?$/), {
  id: 'DollarPrice',
  description: 'The exact price of one contract in US dollars, as decimal text.',
});
export const cents = named(z.int(), { id: 'Cents', description: 'US cents.' });
export const priceCents = named(z.int().min(1).max(99), {
  id: 'PriceCents',
  description: 'The price of one contract in whole US cents. null where rounding would make it 0 or 100.',
});
export const averageCents = named(z.number(), {
  id: 'AverageCents',
  description: 'An average in US cents, at most 4 decimals.',
});
export const tokenAmount = named(z.number(), {
  id: 'TokenAmount',
  description: "An amount in the token's standard unit. The field in base units beside it is exact.",
});
export const amountText = named(z.string(), {
  id: 'AmountText',
  description: "`<amount> <SYMBOL>`, the amount in the token's standard unit.",
});
export const baseUnits = named(z.string().regex(/^\d{1,20}$/), {
  id: 'BaseUnits',
  description: 'Base units of a token, as exact text.',
});
export const signedBaseUnits = named(z.string().regex(/^-?\d{1,20}$/), {
  id: 'SignedBaseUnits',
  description: 'Base units of a token, as exact text. What leaves the wallet is negative.',
});
export const decimals = named(z.int().min(0).max(255), {
  id: 'Decimals',
  description: 'Decimals of a token: 10^decimals base units are one standard unit.',
});
export const lamports = named(z.int().min(0), { id: 'Lamports', description: 'Lamports: 10^9 of them are one SOL.' });
export const bps = named(z.int().min(0), { id: 'Bps', description: 'Basis points: 100 of them are one percent.' });
export const percent = named(z.string().regex(/^-?\d+(\.\d{1,4})?%$/), {
  id: 'Percent',
  description: 'A percentage with its sign, at most 4 decimals: `0.12%`.',
});
export const percentNumber = named(z.number(), {
  id: 'PercentNumber',
  description: 'A number of percent, at most 2 decimals: 12.5 is 12.5 %.',
});
export const contracts = named(z.number().min(0), { id: 'Contracts', description: 'Contracts, at most 2 decimals.' });
export const count = named(z.int().min(0), { id: 'Count', description: 'A number of things.' });
export const factor = named(z.number(), { id: 'Factor', description: 'A factor without a unit.' });
export const strike = named(z.number(), { id: 'Strike', description: "A value in the unit of the market's question." });
export const hours = named(z.int(), { id: 'Hours', description: 'Hours.' });
export const seconds = named(z.int(), { id: 'Seconds', description: 'Seconds.' });
export const bytes = named(z.int(), { id: 'Bytes', description: 'Bytes.' });
export const unixSeconds = named(z.int(), { id: 'UnixSeconds', description: 'Seconds since 1970, UTC.' });
export const httpStatus = named(z.int(), { id: 'HttpStatus', description: 'An HTTP status.' });

export const time = named(z.iso.datetime(), {
  id: 'Time',
  description: 'ISO 8601 in UTC: `2026-11-21T10:02:00.000Z`.',
});
export const uuid = named(z.uuid(), { id: 'Uuid', description: 'A UUID.' });
export const url = named(z.url(), { id: 'Url', description: 'A link.' });
export const transactionId = named(z.uuid(), {
  id: 'TransactionId',
  description: 'The operation, as history lists it.',
});
/** The shape of an address: base58 of 32 bytes. */
export const ADDRESS_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export const address = named(z.string().regex(ADDRESS_PATTERN), {
  id: 'Address',
  description: 'An address on Solana: base58 of 32 bytes.',
});
export const signature = named(z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/), {
  id: 'Signature',
  description: 'The signature of a transaction on Solana, base58.',
});
export const sha256 = named(z.string().regex(/^[0-9a-f]{64}$/), {
  id: 'Sha256',
  description: 'SHA-256 in hexadecimal.',
});
export const base64 = named(z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/), {
  id: 'Base64',
  description: 'Bytes in base64.',
});

/** Marks enums and unions that may grow, until the documents show them. */
export const MAY_GROW = 'x-may-grow';

/**
 * Returns an enum that may grow: a client must not break on an unknown value. openapi.json shows it as its values or any
 * text.
 */
export function growing<const T extends readonly string[]>(id: string, values: T, description: string) {
  const schema = z.enum(values).meta({ id, description, [MAY_GROW]: values });
  return (meaning?: string) => (meaning === undefined ? schema : schema.meta({ description: meaning }));
}

/** The side of a market that a contract pays for. */
export const side = z.enum(['yes', 'no']).meta({ id: 'Side', description: 'Which way a contract pays.' });
