import { expect, it } from '@jest/globals';
import { writeCsv } from './csv.js';

it('writeCsv ends each row with CRLF, and leaves cells without a value empty', () => {
  expect(
    writeCsv([
      ['a', 'b', 'c'],
      [1.5, null, undefined],
    ]),
  ).toBe('a,b,c\r\n1.5,,\r\n');
});

it('writeCsv quotes commas, quotation marks and line breaks', () => {
  expect(writeCsv([['A,"B"\n', 'a\r']])).toBe('"A,""B""\n","a\r"\r\n');
});

it.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\tx'])('writeCsv does not let %j become a formula', (text) => {
  expect(writeCsv([[text]])).toBe(`'${text}\r\n`);
});

it('writeCsv leaves negative numbers alone', () => {
  expect(writeCsv([[-2, '-0.5']])).toBe('-2,-0.5\r\n');
});
