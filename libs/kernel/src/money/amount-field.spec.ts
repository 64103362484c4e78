import { describe, expect, it } from '@jest/globals';
import { checkAmountField, parseAmountField } from './amount-field.js';

const named = expect.objectContaining({
  code: 'VALIDATION_ERROR',
  details: [expect.objectContaining({ field: 'amount' })],
});

describe('parseAmountField', () => {
  it('gives the base units', () => {
    expect(parseAmountField('64.1', 6)).toBe(64_100_000n);
  });

  it.each(['0', '-1', '', 'NaN', '0x10', '0.0000001', '18446744073709.551616'])(
    'refuses %j by the name of its field',
    (text) => {
      expect(() => parseAmountField(text, 6)).toThrow(named);
    },
  );
});

describe('checkAmountField', () => {
  it.each(['1', '1e-9', '1.123456789'])('accepts %j, whatever the decimals will be', (text) => {
    expect(() => checkAmountField(text)).not.toThrow();
  });

  it.each(['0', '0.0', '-1', '', 'NaN', '1e400'])('refuses %j by the name of its field', (text) => {
    expect(() => checkAmountField(text)).toThrow(named);
  });
});
