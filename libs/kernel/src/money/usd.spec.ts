import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AmountError } from './amount.js';
import { MAX_BASE_UNITS } from './amount.js';
import { parseUsd, parseUsdPrice, usdMicros, valueInUsd } from './usd.js';

const units = fc.bigInt({ min: 0n, max: MAX_BASE_UNITS });
const token = fc.record({
  decimals: fc.nat({ max: 20 }),
  price: fc.record({ digits: fc.bigInt({ min: 1n, max: 10n ** 9n }), scale: fc.integer({ min: 9, max: 30 }) }),
});
const priced = (price: string, decimals: number) => ({ decimals, price: parseUsdPrice(price) });

describe('the value of an amount', () => {
  it.each([
    [1_000_000_000n, priced('150.25', 9), 150_250_000n, 150_250_000n],
    [1n, priced('150.25', 9), 1n, 0n],
    [64_100_000n, priced('1', 6), 64_100_000n, 64_100_000n],
    [64_100_000n, priced('0.9999', 6), 64_093_590n, 64_093_590n],
    [1n, priced('1.0000001', 6), 2n, 1n],
    [0n, priced('150.25', 9), 0n, 0n],
  ])('of %i base units at %j is %i micro-dollars rounded up, %i down', (amount, at, up, down) => {
    expect(valueInUsd(amount, at, 'up')).toBe(up);
    expect(valueInUsd(amount, at, 'down')).toBe(down);
  });

  it('is never less than the exact one when rounded up, never more when rounded down, and at most one apart', () => {
    fc.assert(
      fc.property(units, token, (amount, at) => {
        const exact = amount * at.price.digits * 1_000_000n;
        const one = 10n ** BigInt(at.decimals + at.price.scale);
        fc.pre(exact / one < 2n ** 62n);
        const up = valueInUsd(amount, at, 'up');
        const down = valueInUsd(amount, at, 'down');
        expect(up * one >= exact && (up - 1n) * one < exact).toBe(true);
        expect(down * one <= exact && (down + 1n) * one > exact).toBe(true);
      }),
    );
  });

  it('cannot be made smaller by splitting the amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 40n }), fc.bigInt({ min: 0n, max: 2n ** 40n }), token, (a, b, at) => {
        const parts = valueInUsd(a, at, 'up') + valueInUsd(b, at, 'up');
        expect(parts >= valueInUsd(a + b, at, 'up')).toBe(true);
      }),
    );
  });

  it('is refused when it exceeds an int64', () => {
    const dollar = priced('1', 6);
    expect(valueInUsd(2n ** 63n - 1n, dollar, 'up')).toBe(2n ** 63n - 1n);
    expect(() => valueInUsd(2n ** 63n, dollar, 'up')).toThrow(RangeError);
  });
});

describe('micro-dollars', () => {
  it('are 0 … 2^63−1', () => {
    expect(usdMicros(0n)).toBe(0n);
    expect(usdMicros(2n ** 63n - 1n)).toBe(2n ** 63n - 1n);
    expect(() => usdMicros(-1n)).toThrow(RangeError);
    expect(() => usdMicros(2n ** 63n)).toThrow(RangeError);
  });

  it.each([
    ['100', 100_000_000n],
    ['0', 0n],
    ['0.000001', 1n],
    ['1.10000000', 1_100_000n],
    ['1e9', 1_000_000_000_000_000n],
    ['9223372036854.775807', 2n ** 63n - 1n],
  ])('are read from %s', (text, micros) => {
    expect(parseUsd(text)).toBe(micros);
  });

  it.each([
    ['-0.01', 'not_positive'],
    ['0.0000001', 'too_many_decimals'],
    ['9223372036854.775808', 'too_large'],
    ['1e400', 'too_large'],
    ['NaN', 'not_a_number'],
  ])('are not read from %s: %s', (text, problem) => {
    expect(() => parseUsd(text)).toThrow(expect.objectContaining({ constructor: AmountError, problem }));
  });
});

describe('a price', () => {
  it('keeps every digit', () => {
    expect(parseUsdPrice('0.00002345678901234567')).toEqual({ digits: 2345678901234567n, scale: 20 });
    expect(parseUsdPrice('1.5e3')).toEqual({ digits: 1500n, scale: 0 });
    expect(parseUsdPrice('2e-9')).toEqual({ digits: 2n, scale: 9 });
  });

  it.each(['0', '0.0', '-0', '-1', 'NaN', 'Infinity', '1e400', ''])('is none when it is %j', (text) => {
    expect(() => parseUsdPrice(text)).toThrow(AmountError);
  });
});
