import { describe, expect, it } from '@jest/globals';
import { NAMED_TOKENS } from '../tokens/known-tokens.js';
import { describeOperation, type RequestedOperation } from './describe-operation.js';

const [SOL, USDC] = NAMED_TOKENS;
const PAYEE = '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc';
const UNNAMED = 'BPFLoaderUpgradeab1e11111111111111111111111';

const PAYMENT: RequestedOperation = {
  action: 'transfer',
  terms: { recipient: PAYEE, mint: USDC!.mint, amount: '55000000', decimals: '6', memo: '' },
  valueUsd: '55',
  reasons: ['new_recipient'],
};

const line = (change: Partial<RequestedOperation>) => describeOperation({ ...PAYMENT, ...change }, NAMED_TOKENS);
const payment = (terms: RequestedOperation['terms']) => line({ terms: { ...PAYMENT.terms, ...terms } });

describe('an operation in one line', () => {
  it('names amount, symbol, value, recipient and its standing', () => {
    expect(line({})).toBe('pay 55 USDC ($55.00) to 8dPB…xRHc (new)');
    expect(line({ reasons: ['above_amount'], valueUsd: 1234.5678 })).toBe('pay 55 USDC ($1,234.57) to 8dPB…xRHc');
    expect(payment({ mint: 'native', amount: '1500000000', decimals: '9' })).toContain('pay 1.5 SOL');
  });

  it('warns of a recipient that looks like a known one', () => {
    expect(payment({ lookalikeOf: UNNAMED })).toContain('to 8dPB…xRHc (careful: looks like a known address)');
  });

  it('names a token that is not of the list by its address alone, and shows no base units', () => {
    expect(payment({ mint: UNNAMED })).toContain('pay 55 of the token BPFL…1111');
    const terms = { inputMint: UNNAMED, inputAmount: '7000', outputMint: SOL!.mint, minOutputAmount: '166000000' };
    expect(line({ action: 'trade', terms, valueUsd: '25' })).toBe(
      'trade the token BPFL…1111 ($25.00) for at least 0.166 SOL',
    );
  });

  it('says a trade, an addition to a pool and a buy of contracts', () => {
    const trade = {
      inputMint: USDC!.mint,
      inputAmount: '25000000',
      outputMint: SOL!.mint,
      minOutputAmount: '166000000',
    };
    expect(line({ action: 'trade', terms: trade })).toBe('trade 25 USDC ($55.00) for at least 0.166 SOL');
    const pool = { mint0: SOL!.mint, maxAmount0: '1000000000', mint1: USDC!.mint, maxAmount1: '150000000' };
    expect(line({ action: 'liquidity_add', terms: pool })).toBe('put up to 1 SOL and 150 USDC ($55.00) into a pool');
    const buy = { ticker: 'KXNBA-26-MIN', side: 'yes', count: '5' };
    expect(line({ action: 'prediction_buy', terms: buy, valueUsd: '0.004' })).toBe(
      'buy 5 YES of KXNBA-26-MIN (less than $0.01)',
    );
  });

  it('leaves out what is not as expected', () => {
    expect(payment({ recipient: 'http://a.example', mint: '\u202e', amount: '1e9' })).toBe(
      'pay a token ($55.00) to an address (new)',
    );
    expect(payment({ decimals: '255' })).toBe('pay USDC ($55.00) to 8dPB…xRHc (new)');
    expect(line({ action: 'prediction_buy', terms: { ticker: 'a b', side: 'x', count: '-1' }, valueUsd: null })).toBe(
      'buy some contracts of a market',
    );
    expect(line({ action: 'burn', terms: {}, valueUsd: '0' })).toBe('make a transaction');
  });
});
