import { isTightened, POLICY_FIELD_LIST } from '@agent-wallet/kernel';
import { differences, type FieldChange, type Policy } from '../policy.js';

/** Returns the differences between two policies that loosen, field by field. */
export function loosenings(before: Policy, after: Policy, isOnCurve: (address: string) => boolean): FieldChange[] {
  const tightening = new Set<string>(
    POLICY_FIELD_LIST.filter((field) => isTightened(field, [before[field.key], after[field.key]], isOnCurve)).map(
      ({ name }) => name,
    ),
  );
  return differences(before, after).filter(({ field }) => !tightening.has(field));
}
