import { AmountError, readDecimal } from '@agent-wallet/kernel';
import { createHash } from 'node:crypto';

/** A number of a request, as its decimal text. */
export interface NumberText {
  readonly numberText: string;
}

/** A request's input after validation: JSON, with numbers as their text. */
export type RequestInput = { readonly [field: string]: string | boolean | NumberText };

/**
 * The fingerprint by which a repeated idempotency key is told from a reused one: method, route and body. The order of
 * the fields and the way a number is written (`1.50`, `1.5`) make no difference.
 */
export function requestHash(route: string, input: RequestInput): Buffer {
  const fields = Object.keys(input)
    .sort()
    .map((name) => [name, canonical(input[name] as RequestInput[string])]);
  return createHash('sha256')
    .update(JSON.stringify([route, fields]))
    .digest();
}

function canonical(value: RequestInput[string]): unknown {
  if (typeof value !== 'object') return value;
  try {
    let { digits, scale } = readDecimal(value.numberText);
    while (scale > 0 && digits % 10n === 0n) [digits, scale] = [digits / 10n, scale - 1];
    return ['number', digits.toString(), scale];
  } catch (error) {
    if (error instanceof AmountError) return ['number', value.numberText];
    throw error;
  }
}
