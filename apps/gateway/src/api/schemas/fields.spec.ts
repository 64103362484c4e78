import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { memoField, optionalText, queryCursor, textField } from './fields.js';

/** Every character up to U+02FF, and some beyond, each within a text. */
const TEXTS = [...Array(0x300).keys(), 0x2028, 0x20ac, 0xfeff, 0x1f600].map(
  (point) => `a${String.fromCodePoint(point)}b`,
);

describe('the pattern in openapi.json of', () => {
  it.each([
    ['a text', textField(64, 'A text.')],
    ['a text of the query', optionalText(64, 'A text.')],
    ['a cursor', queryCursor()],
    ['a memo', memoField(256)],
  ])('%s matches what validation accepts', (_, field: z.ZodType) => {
    const { pattern } = z.toJSONSchema(field, { io: 'input' });
    // As most clients compile it, and as strict ones do.
    for (const flags of ['', 'u']) {
      const matches = new RegExp(pattern!, flags);
      const wrong = TEXTS.filter((text) => matches.test(text) !== field.safeParse(text).success);
      expect(wrong).toEqual([]);
    }
  });
});
