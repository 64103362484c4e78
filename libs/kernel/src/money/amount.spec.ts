import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AmountError,
  type AmountProblem,
  type BaseUnits,
  baseUnits,
  baseUnitsOf,
  formatAmount,
  MAX_BASE_UNITS,
  parseAmount,
  readAmountField,
  readRequestedAmount,
  readDecimal,
} from './amount.js';
import type { UsdMicros } from './usd.js';

const decimals = fc.nat({ max: 30 });
const amount = fc.bigInt({ min: 1n, max: MAX_BASE_UNITS });

/** @throws every error that is not an AmountError */
function problemOf(text: string, tokenDecimals: number): AmountProblem | undefined {
  try {
    parseAmount(text, tokenDecimals);
    return undefined;
  } catch (error) {
    if (error instanceof AmountError) return error.problem;
    throw error;
  }
}

type IsAssignable<From, To> = [From] extends [To] ? true : false;

describe('an amount in text', () => {
  it.each([
    ['64.1', 6, 64_100_000n],
    ['0.1', 9, 100_000_000n],
    ['0.29', 2, 29n],
    ['1', 0, 1n],
    ['0.000000001', 9, 1n],
    ['1.50000000000000000000', 1, 15n],
    ['1e-7', 9, 100n],
    ['2.5E+3', 6, 2_500_000_000n],
    ['100e-2', 0, 1n],
    ['18446744073709551615', 0, MAX_BASE_UNITS],
    ['18446744073.709551615', 9, MAX_BASE_UNITS],
    ['0.18446744073709551615', 20, MAX_BASE_UNITS],
  ])('of %s with %i decimals is %i base units', (text, tokenDecimals, units) => {
    expect(parseAmount(text, tokenDecimals)).toBe(units);
  });

  it('comes back from base units as it went, for every token', () => {
    fc.assert(
      fc.property(amount, decimals, (units, tokenDecimals) => {
        expect(parseAmount(formatAmount(units, tokenDecimals), tokenDecimals)).toBe(units);
      }),
    );
  });

  it('means the same wherever its exponent puts the point', () => {
    fc.assert(
      fc.property(amount, decimals, decimals, (units, tokenDecimals, places) => {
        const text = `${formatAmount(units, places)}e${places - tokenDecimals}`;
        expect(parseAmount(text, tokenDecimals)).toBe(units);
      }),
    );
  });

  it('may have zeros beyond the decimals, and nothing else there', () => {
    fc.assert(
      fc.property(amount, decimals, fc.integer({ min: 1, max: 9 }), (units, tokenDecimals, digit) => {
        const text = formatAmount(units, tokenDecimals);
        const padded = (text.includes('.') ? text : `${text}.`).padEnd(text.length + 40, '0');
        expect(parseAmount(padded, tokenDecimals)).toBe(units);
        expect(problemOf(padded.slice(0, -1) + String(digit), tokenDecimals)).toBe('too_many_decimals');
      }),
    );
  });

  it('is refused from one base unit above u64 on', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: MAX_BASE_UNITS + 1n, max: MAX_BASE_UNITS ** 2n }),
        decimals,
        (units, tokenDecimals) => {
          expect(problemOf(formatAmount(units, tokenDecimals), tokenDecimals)).toBe('too_large');
        },
      ),
    );
    expect(problemOf('18446744073.709551616', 9)).toBe('too_large');
  });

  it.each(['0', '0.000', '-0', '0e400', '-1', '-0.000001', '-1e5'])(
    'is refused as not positive when it is %s',
    (text) => {
      expect(problemOf(text, 6)).toBe('not_positive');
    },
  );

  it.each([
    ['1e400', 'too_large'],
    ['1e61', 'too_large'],
    ['1e99999999999999999999999', 'too_large'],
    ['-1e400', 'too_large'],
    ['1e-400', 'too_many_decimals'],
    ['0.0000001', 'too_many_decimals'],
    ['1.0000001', 'too_many_decimals'],
    ['1e-7', 'too_many_decimals'],
  ])('is refused when it is %s: %s', (text, problem) => {
    expect(problemOf(text, 6)).toBe(problem);
  });

  it.each([
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'true',
    '',
    ' ',
    '-',
    '.',
    '+1',
    '.5',
    '5.',
    '01',
    '-01',
    '00',
    '1_000',
    '1,5',
    '1 000',
    ' 1',
    '1 ',
    '1\n',
    '0x10',
    '0b1',
    '1n',
    'e5',
    '1e',
    '1e+',
    '1e1.5',
    '--1',
    '１２',
    '٣',
  ])('is refused as no number when it is %j', (text) => {
    expect(problemOf(text, 6)).toBe('not_a_number');
  });

  it('is refused as too large when its text is longer than any amount', () => {
    expect(problemOf('1'.repeat(101), 6)).toBe('too_large');
  });

  it('is read or refused, for any text', () => {
    const numberLike = fc.string({ unit: fc.constantFrom(...'0123456789.eE+- n'), maxLength: 120 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), numberLike), fc.nat({ max: 255 }), (text, tokenDecimals) => {
        problemOf(text, tokenDecimals);
      }),
    );
  });

  it('is the number that JSON wrote, digit by digit', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-20, max: 1e30, noNaN: true }), (number) => {
        const { digits, scale } = readDecimal(JSON.stringify(number));
        expect(Number(`${digits}e-${scale}`)).toBe(number);
      }),
    );
  });
});

describe('an amount as text', () => {
  it.each([
    [64_100_000n, 6, '64.1'],
    [1n, 9, '0.000000001'],
    [0n, 6, '0'],
    [10n, 0, '10'],
    [-1_500_000n, 6, '-1.5'],
    [MAX_BASE_UNITS, 9, '18446744073.709551615'],
  ])('of %i base units with %i decimals is %s', (units, tokenDecimals, text) => {
    expect(formatAmount(units, tokenDecimals)).toBe(text);
  });
});

describe('base units', () => {
  it('are a u64', () => {
    expect(baseUnits(0n)).toBe(0n);
    expect(baseUnits(MAX_BASE_UNITS)).toBe(2n ** 64n - 1n);
    expect(() => baseUnits(-1n)).toThrow(RangeError);
    expect(() => baseUnits(2n ** 64n)).toThrow(RangeError);
  });

  it('are assignable neither to dollars nor from any bigint', () => {
    // Each type is `false`, so that this file does not compile once one of them is assignable.
    const isDollars: IsAssignable<BaseUnits, UsdMicros> = false;
    const isLamports: IsAssignable<UsdMicros, BaseUnits> = false;
    const isUnchecked: IsAssignable<bigint, BaseUnits> = false;
    expect([isDollars, isLamports, isUnchecked]).toEqual([false, false, false]);
  });
});

const named = expect.objectContaining({
  code: 'VALIDATION_ERROR',
  details: [expect.objectContaining({ field: 'amount' })],
});

describe('the amount of a request', () => {
  it('gives the base units', () => {
    expect(baseUnitsOf(readAmountField('64.1'), 6)).toBe(64_100_000n);
  });

  it.each(['0', '-1', '', 'NaN', '0x10', '0.0000001', '18446744073709.551616'])(
    'refuses %j by the name of its field',
    (text) => {
      expect(() => baseUnitsOf(readAmountField(text), 6)).toThrow(named);
    },
  );
});

describe('the amount of a request in base units', () => {
  it('is exact, at any decimals', () => {
    for (const amountRaw of [1n, 30_000_000_000_000_001n, MAX_BASE_UNITS]) {
      expect(baseUnitsOf(readRequestedAmount({ amount: '', amountRaw }), 6)).toBe(amountRaw);
    }
    expect(baseUnitsOf(readRequestedAmount({ amount: '64.1' }), 6)).toBe(64_100_000n);
  });

  it.each([
    ['amount', { amount: '' }],
    ['amountRaw', { amount: '1', amountRaw: 1n }],
    ['amountRaw', { amount: '', amountRaw: 0n }],
    ['amountRaw', { amount: '', amountRaw: MAX_BASE_UNITS + 1n }],
  ])('is refused by the name %s of %p', (field, given) => {
    const details = [expect.objectContaining({ field })];
    expect(() => readRequestedAmount(given)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', details }));
  });
});

describe('the amount of a request for a token that is not known yet', () => {
  it.each(['1', '1e-9', '1.123456789'])('accepts %j, for any decimals', (text) => {
    expect(() => readAmountField(text)).not.toThrow();
  });

  it.each(['0', '0.0', '-1', '', 'NaN', '1e400'])('refuses %j by the name of its field', (text) => {
    expect(() => readAmountField(text)).toThrow(named);
  });
});
