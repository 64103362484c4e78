import { describe, expect, it } from '@jest/globals';
import { parseUsdPrice } from '@agent-wallet/kernel';
import { differsByMoreThan } from './price-distance.js';

describe('the distance of two prices', () => {
  it.each([
    ['130', '100', false],
    ['130.000000000000000000001', '100', true],
    ['70', '100', false],
    ['69.99999999999999999999', '100', true],
    ['1.3e-12', '1e-12', false],
    ['1.31e-12', '1e-12', true],
    ['1e12', '1e-18', true],
    ['100.0', '100', false],
  ])('of %s from %s is more than 30 %%: %s', (price, reference, expected) => {
    expect(differsByMoreThan(parseUsdPrice(price), parseUsdPrice(reference), 30n)).toBe(expected);
  });
});
