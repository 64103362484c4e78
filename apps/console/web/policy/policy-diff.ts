import type { Policy, PolicyChanges, PolicyResult } from '../api/records.js';

/** A policy with the fields for the owner alone. */
export type WholePolicy = Policy &
  Pick<PolicyResult, 'approvalLifetimeHours' | 'maxTradeLossPercent' | 'unpricedTokens' | 'allowMailLogin'>;

/** A field of a whole policy. */
export type PolicyFieldName = keyof WholePolicy;

/** A changed field, and whether the change tightens. Every other difference loosens. */
export interface FieldChange {
  readonly field: PolicyFieldName;
  readonly before: WholePolicy[PolicyFieldName];
  readonly after: WholePolicy[PolicyFieldName];
  readonly tightens: boolean;
}

type Tightens<Value> = (before: Value, after: Value) => boolean;

const STRICTNESS = { allow: 0, approve: 1, deny: 2 } as const;
const whenLower: Tightens<number> = (before, after) => after < before;
const whenOff: Tightens<boolean> = (before, after) => before && !after;
const never = () => false;
const isPart = (part: readonly string[], whole: readonly string[]) => part.every((entry) => whole.includes(entry));
const whenListed: Tightens<readonly string[] | null> = (before, after) =>
  after !== null && (before === null || isPart(after, before));

/**
 * The table of docs/owners.md. The service decides: it also knows which addresses no key can control, and lets those be
 * listed by a signature alone.
 */
const TIGHTENS: { readonly [Field in PolicyFieldName]: Tightens<WholePolicy[Field]> } = {
  maxSingleTransactionInUsd: whenLower,
  dailyLimitInUsd: whenLower,
  sessionExpirationHours: whenLower,
  allowTrading: whenOff,
  allowLiquidityProvision: whenOff,
  allowPredictionMarkets: whenOff,
  allowedRecipients: (before, after) => before.length === 0 || (after.length > 0 && isPart(after, before)),
  newRecipients: (before, after) => STRICTNESS[after] > STRICTNESS[before],
  newRecipientCoolDownHours: (before, after) => after > before,
  approveAboveInUsd: (before, after) => after !== null && (before === null || after < before),
  allowedTokens: whenListed,
  allowedMarkets: whenListed,
  approvalLifetimeHours: never,
  maxTradeLossPercent: never,
  unpricedTokens: never,
  allowMailLogin: whenOff,
};

/** Every field, in the order of the form. */
export const POLICY_FIELD_NAMES = Object.keys(TIGHTENS) as PolicyFieldName[];

/** Returns the fields in which two policies differ. */
export function policyDiff(before: WholePolicy, after: WholePolicy): FieldChange[] {
  return POLICY_FIELD_NAMES.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map(
    (field) => changeOf(field, before, after),
  );
}

function changeOf<Field extends PolicyFieldName>(field: Field, before: WholePolicy, after: WholePolicy): FieldChange {
  return { field, before: before[field], after: after[field], tightens: TIGHTENS[field](before[field], after[field]) };
}

/** Returns the request that makes the changes. */
export function changesOf(diff: readonly FieldChange[]): PolicyChanges {
  return Object.fromEntries(diff.map(({ field, after }) => [field, after]));
}

/** Joins a policy with the fields for the owner alone. */
export function wholePolicy(result: PolicyResult): WholePolicy {
  const { policy, approvalLifetimeHours, maxTradeLossPercent, unpricedTokens, allowMailLogin } = result;
  return { ...policy, approvalLifetimeHours, maxTradeLossPercent, unpricedTokens, allowMailLogin };
}
