import { toBase58 } from '@agent-wallet/contracts/audit';
import { propertyRuns } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import { isLoosened } from '../src/index.js';

/** The parts of apps/policy that decide, as they are built: the verifier shares nothing with policy. */
interface PolicyDomain {
  readonly changeOf: (fields: object) => object;
  readonly differences: (before: object, after: object) => { field: string; before: string; after: string }[];
  readonly loosenings: (before: object, after: object, isOnCurve: (address: string) => boolean) => { field: string }[];
}

const built = (file: string) =>
  import(new URL(`../../../apps/policy/dist/domain/${file}`, import.meta.url).href) as Promise<PolicyDomain>;
const [{ changeOf, differences }, { loosenings }] = await Promise.all([
  built('policy.js'),
  built('owners/loosening.js'),
]);

const amount = fc.constantFrom('0', '0.000001', '0.5', '9', '10', '10.5', '90071992547.409931', '90071992547.409932');
const hours = fc.constantFrom('0', '1', '9', '10', '24');
const flag = fc.constantFrom('true', 'false');
const newWallet = () => {
  const { publicKey } = generateKeyPairSync('ed25519');
  return toBase58(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'));
};
const wallets = [newWallet(), newWallet()];
const list = fc.uniqueArray(fc.constantFrom(...wallets, 'off the curve'));
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(value, fc.constant('null'));
const policies = fc.record({
  ...{ maxSingleTransactionInUsd: amount, dailyLimitInUsd: amount, approveAboveInUsd: orNull(amount) },
  ...{ allowedRecipients: list, allowedTokens: orNull(list), allowedMarkets: orNull(list), unpricedTokens: list },
  ...{ allowTrading: flag, allowLiquidityProvision: flag, allowPredictionMarkets: flag, allowMailLogin: flag },
  ...{ sessionExpirationHours: hours, approvalLifetimeHours: hours, newRecipientCoolDownHours: hours },
  ...{
    newRecipients: fc.constantFrom('allow', 'approve', 'deny'),
    maxTradeLossPercent: fc.constantFrom('1', '2', 'null'),
  },
});

describe('the loosened fields of a change', () => {
  it('are those of policy', () => {
    fc.assert(
      fc.property(policies, policies, (one, other) => {
        const [before, after] = [changeOf(one), changeOf(other)];
        const ofPolicy = loosenings(before, after, (address) => wallets.includes(address)).map(({ field }) => field);
        const changes = differences(before, after);
        const loosened = changes.filter((change) => isLoosened(change.field, change.before, change.after));
        expect(loosened.map(({ field }) => field)).toEqual(ofPolicy);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it.each([
    ['dailyLimitInUsd', '10', '-1'],
    ['dailyLimitInUsd', '10', '1e0'],
    ['allowedTokens', '["a"]', 'x'],
    ['newRecipients', '"x"', '"deny"'],
    ['toString', '1', '0'],
    ['aNewField', 'true', 'false'],
  ])('include %s from %s to %s, which is not understood', (field, before, after) => {
    expect(isLoosened(field, before, after)).toBe(true);
  });
});
