import { expect, it } from '@jest/globals';
import type { Transaction } from '../api/records.js';
import { csvOf } from './csv.js';

const row = (fields: object) =>
  ({ id: '1', action: 'transfer', status: 'confirmed', metadata: {}, ...fields }) as Transaction;

it('the first line names the columns, and each record is a line', () => {
  const lines = csvOf([row({ amount: 1.5, asset: 'USDC' })]).split('\r\n');
  expect(lines[0]).toBe(
    'createdAt,action,status,amount,asset,to,signature,id,mint,amountRaw,valueUsd,fee,feeUsd,memo,ticker,outputToken,outputAmount',
  );
  expect(lines[1]).toBe(',transfer,confirmed,1.5,USDC,,,1,,,,,,,,,');
});

it('quotes what has commas, quotation marks or line breaks', () => {
  expect(csvOf([row({ asset: 'A,"B"\n' })])).toContain('"A,""B""\n"');
});

it('a symbol cannot become a formula, and a negative amount stays a number', () => {
  const csv = csvOf([row({ asset: '=HYPERLINK(1)', amount: -2 })]);
  expect(csv).toContain("'=HYPERLINK(1)");
  expect(csv).toContain(',-2,');
});

it('has value, fee, memo, market and what a trade brought, where the record has them', () => {
  const ends = (fields: object) =>
    csvOf([row(fields)])
      .split('\r\n')[1]!
      .split(',')
      .slice(10);
  const payment = { fee: 0.25, memo: 'rent', to: undefined };
  expect(ends({ metadata: payment })).toEqual(['', '0.25', '', 'rent', '', '', '']);
  const bought = { ticker: 'KXNBA', totalCostDollars: 6.5, feeDollars: 0.16 };
  expect(ends({ action: 'prediction_buy', metadata: bought })).toEqual(['6.5', '', '0.16', '', 'KXNBA', '', '']);
  const trade = { from: 'USDC', to: 'SOL', outputAmount: '0.166' };
  expect(ends({ action: 'trade', metadata: trade })).toEqual(['', '', '', '', '', 'SOL', '0.166']);
});

it('neither a memo nor the name of a token becomes a formula', () => {
  const csv = csvOf([row({ action: 'trade', metadata: { memo: '=1+1', to: '@SUM(A1)' } })]);
  expect(csv).toContain(",'=1+1,");
  expect(csv).toContain(",'@SUM(A1),");
});
