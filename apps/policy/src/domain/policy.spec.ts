import { NAMED_TOKENS } from '@agent-wallet/kernel';
import { describe, expect, it } from '@jest/globals';
import { policyProblems } from './policy.js';

const isAddress = (text: string) => text.length > 30;

describe('unpricedTokens', () => {
  it('lists mints, but none of those whose price is always known', () => {
    const problems = (mint: string) => policyProblems({ unpricedTokens: [mint] }, isAddress);
    expect(problems('a'.repeat(40))).toEqual([]);
    for (const { mint } of NAMED_TOKENS) {
      expect(problems(mint)).toMatchObject([{ field: 'unpricedTokens', problem: 'invalid_format' }]);
    }
  });
});

describe('maxTradeLossPercent', () => {
  it.each([
    [null, true],
    [1, true],
    [10_000, true],
    [0, false],
    [10_001, false],
    [1.5, false],
  ])('of %s bps is within bounds: %s', (maxTradeLossBps, isFine) => {
    expect(policyProblems({ maxTradeLossBps }, isAddress)).toHaveLength(isFine ? 0 : 1);
  });
});
