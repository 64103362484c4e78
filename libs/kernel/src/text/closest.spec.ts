import { describe, expect, it } from '@jest/globals';
import { closest } from './closest.js';

const FIELDS = ['to', 'amount', 'mint', 'memo', 'slippageBps', 'allowTrading'];

describe('closest', () => {
  it.each([
    ['ammount', ['amount']],
    ['amuont', ['amount']],
    ['slippage_bps', ['slippageBps']],
    ['SLIPPAGEBPS', ['slippageBps']],
    ['memos', ['memo']],
    ['min', ['mint']],
    ['recipient', []],
    ['', []],
    ['amount'.repeat(20), []],
  ])('takes %s for %j', (text, names) => {
    expect(closest(text, FIELDS)).toEqual(names);
  });

  it('names at most three, the likeliest first', () => {
    expect(closest('abcdef', ['abcdxy', 'abcdex', 'abcdef', 'abxdef'])).toEqual(['abcdef', 'abcdex', 'abxdef']);
  });
});
