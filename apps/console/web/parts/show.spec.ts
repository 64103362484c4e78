import { expect, it } from '@jest/globals';
import { groupsOf, showAway, showExactUsd, showRoundedUsd, showUnits, showUntil } from './show.js';

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

it('the time left is in hours up to two days, and never below none', () => {
  const now = Date.parse('2026-11-26T12:00:00.000Z');
  const left = (hours: number) => showUntil(new Date(now + hours * 3_600_000).toISOString(), now);
  expect([23.5, 47, 49, 0.5, -1].map(left)).toEqual([
    'in 23 hours',
    'in 47 hours',
    'in 2 days',
    'in 30 minutes',
    'in 0 minutes',
  ]);
});

it('says how far a time is before or after now, and is just now where clocks differ by seconds', () => {
  const now = Date.parse('2026-11-26T12:00:00.000Z');
  const away = (seconds: number) => showAway(new Date(now + seconds * 1_000).toISOString(), now);
  expect([-20, 0, -150, -3_700, -47 * 3_600, -3 * 86_400].map(away)).toEqual([
    ...['just now', 'just now', '2 min ago', '1 hr ago', '47 hr ago', '3 days ago'],
  ]);
  expect([30, 90, 23 * 3_600].map(away)).toEqual(['in less than a minute', 'in 1 min', 'in 23 hr']);
});

it('a headline has cents, and something is not shown as nothing', () => {
  expect(['60.313108', '0.004', '0'].map(showRoundedUsd)).toEqual(['$60.31', 'less than $0.01', '$0.00']);
});
