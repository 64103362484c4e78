import { expect, it } from '@jest/globals';
import { groupsOf, showExactUsd, showUnits } from './show.js';

it.each([
  ['0', 6, '0'],
  ['1', 6, '0.000001'],
  ['2000000', 6, '2'],
  ['1234567890123', 6, '1,234,567.890123'],
  ['18446744073709551615', 9, '18,446,744,073.709551615'],
  ['1500', 0, '1,500'],
])('%s base units with %i decimals are %s', (amount, decimals, shown) => {
  expect(showUnits(amount, decimals)).toBe(shown);
});

it('dollars keep every digit of a document', () => {
  expect(showExactUsd('12.305269')).toBe('$12.305269');
  expect(showExactUsd('1234567890123456.1')).toBe('$1,234,567,890,123,456.10');
});

it('an address falls in groups of four', () => {
  expect(groupsOf('abcdefghij')).toEqual(['abcd', 'efgh', 'ij']);
});
