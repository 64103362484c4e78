import { MAX_BASE_UNITS, parseUsd, parseUsdPrice } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { shareOf, unitsOfUsd } from './operator.js';

describe("the operator's share", () => {
  it.each([
    [10_000n, 25, 25n],
    [399n, 25, 0n],
    [400n, 25, 1n],
    [799n, 25, 1n],
    [MAX_BASE_UNITS, 10_000, MAX_BASE_UNITS],
    [MAX_BASE_UNITS, 1, 1_844_674_407_370_955n],
    [1_000_000n, 0, 0n],
  ])('of %d at %d basis points is %d, rounded down', (amount, basisPoints, expected) => {
    expect(shareOf(amount, { basisPoints })).toBe(expected);
  });
});

describe("the operator's flat fee", () => {
  it.each([
    ['0.25', 6, '1', 250_000n],
    ['0.25', 6, '1.0001', 249_975n],
    ['0.25', 9, '150', 1_666_666n],
    ['0.000001', 6, '1.000001', 0n],
    ['0.000001', 6, '1', 1n],
    ['0.000001', 5, '0.00002', 5_000n],
    ['0', 6, '1', 0n],
    ['0.5', 0, '1', 0n],
  ])(
    'of %s dollars in a token with %d decimals at %s dollars is %d units, rounded down',
    (usd, decimals, price, units) => {
      expect(unitsOfUsd(parseUsd(usd), { decimals, price: parseUsdPrice(price) })).toBe(units);
    },
  );
});
