import { AppError } from '../errors/app-error.js';
import { AmountError, parseAmount, readDecimal } from './amount-text.js';
import type { BaseUnits } from './base-units.js';

/**
 * The amount of a request in base units.
 * @param text decimal text in the token's standard unit
 * @throws AppError VALIDATION_ERROR naming `amount`
 */
export function parseAmountField(text: string, decimals: number): BaseUnits {
  return orInvalidField(() => parseAmount(text, decimals));
}

/** Refuses an amount that no token has, before its decimals are known. @throws AppError VALIDATION_ERROR naming `amount` */
export function checkAmountField(text: string): void {
  orInvalidField(() => {
    const { negative, digits } = readDecimal(text);
    if (negative || digits === 0n) throw new AmountError('not_positive', 'must be greater than 0');
  });
}

function orInvalidField<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AmountError) throw AppError.field('amount', error.message);
    throw error;
  }
}
