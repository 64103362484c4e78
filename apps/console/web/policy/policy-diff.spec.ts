import { expect, it } from '@jest/globals';
import { changesOf, policyDiff, type WholePolicy } from './policy-diff.js';

const POLICY: WholePolicy = {
  maxSingleTransactionInUsd: 100,
  dailyLimitInUsd: 500,
  allowedRecipients: [],
  allowTrading: true,
  allowLiquidityProvision: true,
  allowPredictionMarkets: true,
  sessionExpirationHours: 168,
  newRecipients: 'approve',
  newRecipientCoolDownHours: 2,
  approveAboveInUsd: null,
  allowedTokens: null,
  allowedMarkets: ['KX', 'KY'],
  approvalLifetimeHours: 24,
  maxTradeLossPercent: null,
  unpricedTokens: [],
  allowMailLogin: true,
};

it.each<[Partial<WholePolicy>, boolean]>([
  [{ dailyLimitInUsd: 499 }, true],
  [{ dailyLimitInUsd: 501 }, false],
  [{ allowTrading: false }, true],
  [{ allowedRecipients: ['a'] }, true],
  [{ newRecipients: 'deny' }, true],
  [{ newRecipients: 'allow' }, false],
  [{ newRecipientCoolDownHours: 3 }, true],
  [{ newRecipientCoolDownHours: 1 }, false],
  [{ approveAboveInUsd: 10 }, true],
  [{ allowedTokens: [] }, true],
  [{ allowedMarkets: ['KX'] }, true],
  [{ allowedMarkets: ['KX', 'KZ'] }, false],
  [{ allowedMarkets: null }, false],
  [{ approvalLifetimeHours: 1 }, false],
  [{ maxTradeLossPercent: 1 }, false],
  [{ unpricedTokens: ['a'] }, false],
  [{ allowMailLogin: false }, true],
])('a change to %j tightens: %s', (change, tightens) => {
  const diff = policyDiff(POLICY, { ...POLICY, ...change });
  expect(diff.map((each) => each.tightens)).toEqual([tightens]);
  expect(changesOf(diff)).toEqual(change);
});

it('an emptied list of recipients loosens, because it allows every recipient', () => {
  const listed = { ...POLICY, allowedRecipients: ['a', 'b'] };
  expect(policyDiff(listed, POLICY)).toMatchObject([{ field: 'allowedRecipients', tightens: false }]);
  expect(policyDiff(listed, { ...POLICY, allowedRecipients: ['b'] })).toMatchObject([{ tightens: true }]);
});

it('equal policies have no difference', () => {
  expect(policyDiff(POLICY, { ...POLICY })).toEqual([]);
});
