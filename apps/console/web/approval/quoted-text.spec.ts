import { expect, it } from '@jest/globals';
import { quotedText } from './quoted-text.js';

it.each([
  ['pay\u202Eevil', 'pay⟦U+202E⟧evil'],
  ['a\u200Bb', 'a⟦U+200B⟧b'],
  ['a\u0000\n\tb', 'a⟦U+0000⟧⟦U+000A⟧⟦U+0009⟧b'],
  ['\u2066x\u2069', '⟦U+2066⟧x⟦U+2069⟧'],
  ['\u{E0041}', '⟦U+E0041⟧'],
  ['a\u00A0b', 'a⟦U+00A0⟧b'],
  ['⟦U+202E⟧', '⟦U+27E6⟧U+202E⟦U+27E7⟧'],
  ['\uD800', '⟦U+D800⟧'],
  ['Miete für März – 東京 🙂', 'Miete für März – 東京 🙂'],
])('%j is shown as %s', (text, shown) => {
  expect(quotedText(text)).toEqual({ shown, cut: 0 });
});

it('cuts a long text at whole characters and says how much', () => {
  const { shown, cut } = quotedText('🙂'.repeat(300));
  expect([shown, cut]).toEqual(['🙂'.repeat(256), 44]);
});
