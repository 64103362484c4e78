import { describe, expect, it } from '@jest/globals';
import { quoted } from './quoted.js';

describe('quoted text of a notice', () => {
  it.each([0x34f, 0x115f, 0x17b4, 0x180b, 0x200b, 0x202e, 0x2060, 0x3164, 0xfe0f, 0xffa0, 0xe0100])(
    'shows the invisible character %i by its number',
    (code) => {
      expect(quoted(`Ann${String.fromCodePoint(code)}`)).toBe(`"Ann\\u{${code.toString(16)}}"`);
    },
  );

  it('shows letters of every script as they are', () => {
    expect(quoted('Ännchen 状態 état')).toBe('"Ännchen 状態 état"');
  });
});
