import { propertyRuns } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  changed,
  changeOf,
  DEFAULT_POLICY,
  differences,
  type Policy,
  type PolicyChange,
  shownPolicy,
} from '../policy.js';
import { loosenings } from './loosening.js';

/** Off the curve, in these tests, is what ends in `*`. */
const isOnCurve = (address: string) => !address.endsWith('*');
const loosened = (before: Partial<Policy>, after: Partial<Policy>) =>
  loosenings({ ...DEFAULT_POLICY, ...before }, { ...DEFAULT_POLICY, ...before, ...after }, isOnCurve).map(
    ({ field }) => field,
  );

const ADDRESSES = ['A', 'B', 'C', 'D*', 'E*'];
const recipients = fc.uniqueArray(fc.constantFrom(...ADDRESSES));
const policies: fc.Arbitrary<Policy> = fc.record({
  maxSingleTransactionUsdMicros: fc.bigInt(1n, 5n),
  dailyLimitUsdMicros: fc.bigInt(1n, 5n),
  allowedRecipients: recipients,
  allowTrading: fc.boolean(),
  allowLiquidityProvision: fc.boolean(),
  allowPredictionMarkets: fc.boolean(),
  sessionExpirationHours: fc.integer({ min: 1, max: 4 }),
  approvalLifetimeHours: fc.integer({ min: 1, max: 3 }),
  newRecipients: fc.constantFrom('allow', 'approve', 'deny'),
  newRecipientCoolDownHours: fc.integer({ min: 0, max: 3 }),
  approveAboveUsdMicros: fc.option(fc.bigInt(1n, 4n)),
  allowedTokens: fc.option(fc.uniqueArray(fc.constantFrom('A', 'B', 'C'))),
  allowedMarkets: fc.option(fc.uniqueArray(fc.constantFrom('KX', 'KXA', 'KXA-1'))),
  maxTradeLossBps: fc.option(fc.integer({ min: 1, max: 4 })),
  unpricedTokens: fc.uniqueArray(fc.constantFrom('A', 'B', 'C')),
  allowMailLogin: fc.boolean(),
});
const changes: fc.Arbitrary<PolicyChange> = policies.chain((policy) =>
  fc.subarray(Object.entries(policy)).map((fields) => Object.fromEntries(fields) as PolicyChange),
);

/** A policy, and a change of it without the fields that loosen by themselves: few changes of many fields loosen nothing. */
const tightened = fc
  .tuple(policies, changes)
  .map(([before, change]): [Policy, PolicyChange] => [
    before,
    Object.fromEntries(
      Object.entries(change).filter(
        ([field, value]) => loosenings(before, changed(before, { [field]: value }), isOnCurve).length === 0,
      ),
    ),
  ]);

const MARKETS = ['KX', 'KX-1', 'KXA', 'KXA-1', 'KXA-1-YES', 'KXA-10', 'KXAB-1', 'Z'];

function isBuyable({ allowedMarkets }: Policy, ticker: string): boolean {
  const beginnings = ticker.split('-').map((_, n, parts) => parts.slice(0, n + 1).join('-'));
  return allowedMarkets === null || beginnings.some((beginning) => allowedMarkets.includes(beginning));
}

/** Everything that a policy grants, point by point, computed without the table. */
function granted(policy: Policy): Set<string> {
  const upTo = (name: string, most: bigint | number) =>
    Array.from({ length: Number(most) }, (_, n) => `${name} of ${n + 1}`);
  const isAllowed = (address: string) =>
    policy.allowedRecipients.length === 0 ? isOnCurve(address) : policy.allowedRecipients.includes(address);
  return new Set([
    ...upTo('a transaction', policy.maxSingleTransactionUsdMicros),
    ...upTo('a day', policy.dailyLimitUsdMicros),
    ...upTo('a session', policy.sessionExpirationHours),
    ...[...ADDRESSES, 'F', 'G*'].filter(isAllowed).map((address) => `a payment to ${address}`),
    ...(policy.newRecipients === 'allow' ? ['a payment to a new recipient without an approval'] : []),
    ...(policy.newRecipients === 'deny' ? [] : ['a payment to a new recipient with an approval']),
    ...upTo('an hour before a recipient is known', 4 - policy.newRecipientCoolDownHours),
    ...upTo('a payment without an approval', policy.approveAboveUsdMicros ?? 5n),
    ...['A', 'B', 'C', 'D']
      .filter((mint) => policy.allowedTokens?.includes(mint) ?? true)
      .map((mint) => `gaining ${mint}`),
    ...MARKETS.filter((ticker) => isBuyable(policy, ticker)).map((ticker) => `a buy in ${ticker}`),
    ...(policy.allowTrading ? ['trading'] : []),
    ...(policy.allowLiquidityProvision ? ['liquidity'] : []),
    ...(policy.allowPredictionMarkets ? ['predictions'] : []),
    ...(policy.allowMailLogin ? ['a login by mail'] : []),
  ]);
}

describe('a change that loosens nothing', () => {
  it('never grants more than before, for random policies and changes', () => {
    fc.assert(
      fc.property(tightened, ([before, change]) => {
        const after = changed(before, change);
        fc.pre(loosenings(before, after, isOnCurve).length === 0);
        const was = granted(before);
        expect([...granted(after)].filter((each) => !was.has(each))).toEqual([]);
        expect(after.approvalLifetimeHours).toBe(before.approvalLifetimeHours);
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('is named field by field where it does grant more, however much else tightens', () => {
    fc.assert(
      fc.property(policies, changes, (before, change) => {
        const after = changed(before, change);
        const was = granted(before);
        const isWider = [...granted(after)].some((each) => !was.has(each));
        if (isWider) expect(loosenings(before, after, isOnCurve)).not.toEqual([]);
        const named = loosenings(before, after, isOnCurve);
        expect(differences(before, after)).toEqual(expect.arrayContaining(named));
      }),
      { numRuns: propertyRuns(3_000) },
    );
  });

  it('is undone only by one that loosens', () => {
    fc.assert(
      fc.property(tightened, ([before, change]) => {
        const after = changed(before, change);
        const isSame = [...granted(before)].sort().join() === [...granted(after)].sort().join();
        fc.pre(!isSame && loosenings(before, after, isOnCurve).length === 0);
        expect(loosenings(after, before, isOnCurve)).not.toEqual([]);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

describe('a list of recipients', () => {
  it.each<[string, string[], string[], boolean]>([
    ['a first list on the curve tightens', [], ['A', 'B'], false],
    ['a first list with an address off the curve loosens', [], ['A', 'D*'], true],
    ['a list that loses entries tightens', ['A', 'B', 'D*'], ['D*'], false],
    ['a list in another order loosens nothing', ['A', 'B'], ['B', 'A'], false],
    ['a list that gains an entry loosens', ['A'], ['A', 'B'], true],
    ['a list that is replaced loosens', ['A', 'B'], ['C'], true],
    ['a list that is emptied loosens', ['A'], [], true],
  ])('%s', (_, before, after, isLooser) => {
    expect(loosened({ allowedRecipients: before }, { allowedRecipients: after })).toEqual(
      isLooser ? ['allowedRecipients'] : [],
    );
  });
});

describe('an allow-list', () => {
  it.each<[string, string[] | null, string[] | null, boolean]>([
    ['a first list tightens', null, ['A'], false],
    ['a first list of nothing tightens', null, [], false],
    ['a list that loses entries tightens', ['A', 'B'], ['B'], false],
    ['a list that is emptied tightens', ['A'], [], false],
    ['a list in another order loosens nothing', ['A', 'B'], ['B', 'A'], false],
    ['a list that gains an entry loosens', ['A'], ['A', 'B'], true],
    ['a list of nothing that gains an entry loosens', [], ['A'], true],
    ['a list that is replaced loosens', ['A', 'B'], ['C'], true],
    ['a list that is removed loosens', ['A'], null, true],
    ['a list of nothing that is removed loosens', [], null, true],
  ])('%s', (_, before, after, isLooser) => {
    for (const field of ['allowedTokens', 'allowedMarkets'])
      expect(loosened({ [field]: before }, { [field]: after })).toEqual(isLooser ? [field] : []);
  });
});

describe('a large change', () => {
  it('names the one field that loosens', () => {
    const tighter = { maxSingleTransactionUsdMicros: 1n, allowTrading: false, sessionExpirationHours: 1 };
    expect(loosened({}, { ...tighter, dailyLimitUsdMicros: 500_000_001n })).toEqual(['dailyLimitInUsd']);
  });

  it('names what asks for fewer approvals', () => {
    const asking = { newRecipients: 'deny', newRecipientCoolDownHours: 24, approveAboveUsdMicros: 50n } as const;
    expect(loosened({}, asking)).toEqual([]);
    expect(loosened(asking, { newRecipients: 'approve' })).toEqual(['newRecipients']);
    expect(loosened(asking, { newRecipientCoolDownHours: 23 })).toEqual(['newRecipientCoolDownHours']);
    expect(loosened(asking, { approveAboveUsdMicros: 51n })).toEqual(['approveAboveInUsd']);
    expect(loosened(asking, { approveAboveUsdMicros: null })).toEqual(['approveAboveInUsd']);
  });

  it('names the life of approvals in both directions', () => {
    expect(loosened({}, { approvalLifetimeHours: 1 })).toEqual(['approvalLifetimeHours']);
    expect(loosened({}, { approvalLifetimeHours: 168 })).toEqual(['approvalLifetimeHours']);
  });
});

describe('the shown form of a policy', () => {
  it('reads back as the policy', () => {
    fc.assert(fc.property(policies, (policy) => expect(changeOf(shownPolicy(policy))).toEqual(policy)));
  });
});
