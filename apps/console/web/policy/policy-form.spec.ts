import { POLICY_FIELDS } from '@agent-wallet/kernel/policy-fields';
import { expect, it } from '@jest/globals';
import type { WholePolicy } from './policy-diff.js';
import { badEntry, badFields, formOf, isGoodHours, isGoodNumber, policyOf } from './policy-form.js';

const POLICY: WholePolicy = {
  maxSingleTransactionInUsd: 100.5,
  dailyLimitInUsd: 500,
  allowedRecipients: ['a', 'b'],
  allowTrading: true,
  allowLiquidityProvision: false,
  allowPredictionMarkets: true,
  sessionExpirationHours: 168,
  newRecipients: 'approve',
  newRecipientCoolDownHours: 0,
  approveAboveInUsd: null,
  allowedTokens: null,
  allowedMarkets: [],
  approvalLifetimeHours: 24,
  maxTradeLossPercent: null,
  unpricedTokens: [],
  allowMailLogin: false,
};

it('a policy goes through its form unchanged: null and an empty list stay apart', () => {
  expect(policyOf(formOf(POLICY))).toEqual(POLICY);
});

it('a list is read by lines, spaces and commas, each entry once', () => {
  const form = { ...formOf(POLICY), allowedRecipients: ' a\n\nb, c a ' };
  expect(policyOf(form).allowedRecipients).toEqual(['a', 'b', 'c']);
});

it('an amount may be empty only where there may be none', () => {
  expect(isGoodNumber('approveAboveInUsd', '')).toBe(true);
  expect(isGoodNumber('dailyLimitInUsd', '')).toBe(false);
  expect(['0', '-1', '1e3', '1.1234567', 'x'].some((text) => isGoodNumber('dailyLimitInUsd', text))).toBe(false);
  expect(isGoodNumber('dailyLimitInUsd', ' 12.50 ')).toBe(true);
});

it('hours are whole and within bounds', () => {
  expect(['0', '8761', '1.5', ''].map((text) => isGoodHours(POLICY_FIELDS.sessionExpirationHours, text))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(isGoodHours(POLICY_FIELDS.newRecipientCoolDownHours, '0')).toBe(true);
});

it('names the fields that the service would refuse, lists with a wrong entry among them', () => {
  const form = { ...formOf(POLICY), allowedRecipients: '' };
  expect(badFields(form)).toEqual([]);
  const list = { isListed: true, list: 'KXNBA-26' };
  const bad = { ...form, dailyLimitInUsd: 'abc', sessionExpirationHours: '0', allowedRecipients: 'hello' };
  expect(badFields({ ...bad, allowedMarkets: list, allowedTokens: list })).toEqual([
    ...['dailyLimitInUsd', 'sessionExpirationHours', 'allowedRecipients', 'allowedTokens'],
  ]);
  expect(badEntry('allowedRecipients', '8dPBF31QQuQKRZYMvnAmdVmF5NmKdLQ1aguQWrU1xRHc, hello')).toBe('hello');
});
