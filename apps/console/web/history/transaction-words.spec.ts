import { describe, expect, it } from '@jest/globals';
import type { Transaction } from '../api/records.js';
import { transactionFields } from './transaction-fields.js';
import { transactionWords } from './transaction-words.js';

const PAYEE = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const record = (fields: object) =>
  ({
    id: '1',
    action: 'transfer',
    status: 'confirmed',
    amount: 25,
    asset: 'USDC',
    metadata: {},
    ...fields,
  }) as Transaction;

describe('a transaction in words', () => {
  it('says of a payment how much, to whom and for what', () => {
    expect(transactionWords(record({ to: PAYEE, metadata: { memo: 'lunch' } }))).toEqual({
      ...{ title: 'Payment', detail: 'to 8dPB…xRHc · “lunch”', value: '25 USDC' },
      ...{ status: 'Confirmed', tone: 'good', reason: '' },
    });
  });

  it('says of a trade what it gave and got, and of contracts how many of which side', () => {
    const trade = { from: 'USDC', to: 'SOL', inputAmount: '25 USDC', outputAmount: '0.166 SOL' };
    expect(transactionWords(record({ action: 'trade', metadata: trade })).value).toBe('25 USDC → 0.166 SOL');
    const buy = transactionWords(
      record({ action: 'prediction_buy', metadata: { ticker: 'KXNBA', side: 'yes', count: 5 } }),
    );
    expect([buy.value, buy.detail]).toEqual(['5 × YES', 'KXNBA']);
  });

  it('says why something was refused, with the limit as the form calls it', () => {
    const metadata = { errorMessage: 'above dailyLimitInUsd' };
    expect(transactionWords(record({ status: 'rejected_by_policy', metadata }))).toMatchObject({
      ...{ status: 'Refused by your limits', tone: 'refused', reason: 'above “Most in 24 hours”' },
    });
  });

  it('shows hidden characters of a memo by their codes, and an action of a later release by its word', () => {
    const words = transactionWords(record({ action: 'burn_it', status: 'odd', metadata: { memo: 'a\u202Eb' } }));
    expect(words).toMatchObject({ title: 'Burn it', status: 'Odd', detail: '“a⟦U+202E⟧b”' });
  });
});

it('shows dollars of an order as they are', () => {
  const metadata = { pricePerContractDollars: 0.62, totalCostDollars: 6.5 };
  expect(transactionFields(record({ action: 'prediction_buy', metadata }))).toEqual([
    ['Price of one', '$0.62'],
    ['Cost of all with fees', '$6.50'],
  ]);
});

it('details are in the units of people, without what is nothing', () => {
  const metadata = {
    ...{ fee: 0, networkFeeLamports: 5000, slippageBps: 50, route: ['Raydium', 'Orca'], memo: null },
    warnings: [{ mint: PAYEE, message: 'It can be frozen.' }],
  };
  expect(transactionFields(record({ metadata }))).toEqual([
    ['Network cost', '0.000005 SOL'],
    ['Price tolerance', '0.5 %'],
    ['Traded at', 'Raydium, Orca'],
    ['Warnings', 'It can be frozen.'],
  ]);
});
