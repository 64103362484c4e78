import { describe, expect, it } from '@jest/globals';
import { countText, priceText, readContracts, readDollars } from './fixed-point.js';

describe('text of fixed precision', () => {
  it.each([
    ['0.5600', 560_000n],
    ['0.000001', 1n],
    ['12', 12_000_000n],
    ['-3.5', -3_500_000n],
    ['0.0000001', undefined],
    ['.5', undefined],
    ['1e3', undefined],
    ['', undefined],
    ['0x10', undefined],
    ['1.', undefined],
  ])('%j is %s micro-dollars', (text, micros) => {
    expect(readDollars(text)).toBe(micros);
  });

  it.each([
    ['10.00', 1_000n],
    ['0.01', 1n],
    ['-7', -700n],
    ['1.005', undefined],
  ])('%j is %s hundredths of a contract', (text, hundredths) => {
    expect(readContracts(text)).toBe(hundredths);
  });

  it('is written as orders name it, and nothing is rounded away', () => {
    expect([priceText(560_000n), priceText(100n), priceText(1_000_000n)]).toEqual(['0.5600', '0.0001', '1.0000']);
    expect([countText(1_000n), countText(1n)]).toEqual(['10.00', '0.01']);
    expect(() => priceText(50n)).toThrow(RangeError);
    expect(() => priceText(-100n)).toThrow(RangeError);
    expect(() => countText(0n)).toThrow(RangeError);
  });
});
