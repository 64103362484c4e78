import { AmountError, formatAmount, parseAmount, PROBLEM_OF_AMOUNT } from '@agent-wallet/kernel';
import { z } from 'zod';
import { failed, numberText, reading } from './fields.js';

/** Returns a field for the exact price of one contract in dollars, in the form in which markets show it. */
export const priceField = (description: string) =>
  z
    .string('must be dollars in a text, such as "0.62"')
    .regex(/^0\.\d{1,6}$/, 'must be dollars in a text, such as "0.62"')
    .refine((text) => /[1-9]/.test(text), failed('must be greater than 0', 'out_of_range'))
    .optional()
    .meta({ pattern: String.raw`^0\.\d{1,6}$`, 'x-unit': 'DollarPrice', description });

const MAX_CONTRACTS = 1_000_000_000;
export const CONTRACT_DECIMALS = 2;
const CONTRACTS_REASON = `must be from 0.01 to ${MAX_CONTRACTS}, with at most ${CONTRACT_DECIMALS} decimals`;

/** Returns a field for a number of contracts, of which a hundredth is the least, as canonical decimal text. */
export const contractsField = (description: string) =>
  numberText()
    .transform(
      reading(
        (text) => {
          const hundredths: bigint = parseAmount(text, CONTRACT_DECIMALS);
          if (hundredths > BigInt(MAX_CONTRACTS) * 100n) throw new AmountError('too_large', CONTRACTS_REASON);
          return formatAmount(hundredths, CONTRACT_DECIMALS);
        },
        Object.fromEntries(Object.keys(PROBLEM_OF_AMOUNT).map((problem) => [problem, CONTRACTS_REASON])),
        'out_of_range',
      ),
    )
    .meta({ type: 'number', minimum: 0.01, maximum: MAX_CONTRACTS, 'x-unit': 'Contracts', description });
