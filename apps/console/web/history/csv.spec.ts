import { expect, it } from '@jest/globals';
import type { Transaction } from '../api/records.js';
import { csvOf } from './csv.js';

const row = (fields: object) => ({ id: '1', action: 'transfer', status: 'confirmed', ...fields }) as Transaction;

it('the first line names the columns, and each record is a line', () => {
  const lines = csvOf([row({ amount: 1.5, asset: 'USDC' })]).split('\r\n');
  expect(lines[0]).toBe('createdAt,action,status,amount,asset,to,signature,id,mint,amountRaw');
  expect(lines[1]).toBe(',transfer,confirmed,1.5,USDC,,,1,,');
});

it('quotes what has commas, quotation marks or line breaks', () => {
  expect(csvOf([row({ asset: 'A,"B"\n' })])).toContain('"A,""B""\n"');
});

it('a symbol cannot become a formula, and a negative amount stays a number', () => {
  const csv = csvOf([row({ asset: '=HYPERLINK(1)', amount: -2 })]);
  expect(csv).toContain("'=HYPERLINK(1)");
  expect(csv).toContain(',-2,');
});
