import { describe, expect, it } from '@jest/globals';
import { View } from '../src/view.js';

describe('a table', () => {
  const NAMES = ['NAME', 'SCOPES', '>USED'];

  it('aligns characters that take two columns', () => {
    expect(
      new View().table(
        NAMES,
        [
          ['日本語🦊 bot', 'read', '$7'],
          ['bot', 'read,trade', '$10'],
        ],
        '',
      ),
    ).toBe(
      ['NAME          SCOPES      USED', '日本語🦊 bot  read          $7', 'bot           read,trade   $10'].join('\n'),
    );
  });

  it('moves columns that do not fit to a second line, and cuts none', () => {
    const row = ['bot', 'read,trade', '$10'];
    expect(new View({ columns: 21 }).table(NAMES, [row], '')).toBe('NAME  SCOPES\n  USED\nbot   read,trade\n   $10');
    expect(new View({ columns: 4 }).table(NAMES, [row], '').split('\n').slice(3)).toEqual([
      'bot',
      '  read,trade',
      '   $10',
    ]);
  });
});

describe('money', () => {
  it.each([
    [2_011_064.073318, '$2,011,064.07', '$2011064.073318'],
    [-0.06, '-$0.06', '$-0.06'],
    ['0.002299', '$0.0023', '$0.002299'],
    [0, '$0.00', '$0'],
    [null, '-', '-'],
  ])('%j is rounded to %s, and raw to %s', (value, rounded, raw) => {
    expect([new View().usd(value), new View({ isRaw: true }).usd(value)]).toEqual([rounded, raw]);
  });

  it('rounds a price to six digits', () => {
    const price = '151.699100493927522293';
    expect([new View().price(price), new View({ isRaw: true }).price(price)]).toEqual(['151.699', price]);
  });
});

describe('a time', () => {
  const TIME = '2026-11-28T17:50:03.123Z';

  it('is that of the time zone, or of UTC', () => {
    expect(new View({ timeZone: 'Asia/Tokyo' }).time(TIME)).toBe('2026-11-29 02:50:03');
    expect(new View({ timeZone: 'UTC' }).time(TIME)).toBe('2026-11-28 17:50:03Z');
  });

  it('is left as it is when it is none', () => {
    expect([new View().time('noon'), new View().time(null)]).toEqual(['noon', '']);
  });
});
