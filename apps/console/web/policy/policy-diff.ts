import { isTightened, POLICY_FIELD_LIST, type PolicyFieldName } from '@agent-wallet/kernel/policy-fields';
import type { Policy, PolicyChanges, PolicyResult } from '../api/records.js';

/** A policy with the fields for the owner alone. */
export type WholePolicy = Policy & Pick<PolicyResult, Exclude<PolicyFieldName, keyof Policy>>;

/** A changed field, and whether the change tightens. Every other difference loosens. */
export interface FieldChange {
  readonly field: PolicyFieldName;
  readonly before: WholePolicy[PolicyFieldName];
  readonly after: WholePolicy[PolicyFieldName];
  readonly tightens: boolean;
}

/**
 * Returns the fields in which two policies differ. The service decides what tightens: it also knows which addresses no key can
 * control, and lets those be listed by a signature alone.
 */
export function policyDiff(before: WholePolicy, after: WholePolicy): FieldChange[] {
  return POLICY_FIELD_LIST.filter(({ name }) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).map(
    (field) => {
      const values = [before[field.name], after[field.name]] as const;
      const tightens = isTightened(field, values, () => true);
      return { field: field.name, before: values[0], after: values[1], tightens };
    },
  );
}

/** Returns the request that makes the changes. */
export function changesOf(diff: readonly FieldChange[]): PolicyChanges {
  return Object.fromEntries(diff.map(({ field, after }) => [field, after]));
}

/** Joins a policy with the fields for the owner alone. */
export function wholePolicy({ policy, ...result }: PolicyResult): WholePolicy {
  const ofOwner = POLICY_FIELD_LIST.filter(({ isOwners }) => isOwners).map(({ name }) => [
    name,
    result[name as keyof typeof result],
  ]);
  return { ...policy, ...Object.fromEntries(ofOwner) } as WholePolicy;
}
