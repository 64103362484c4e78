import { historyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { Spending } from '../application/sum-spending.js';
import type { SpendingGroup, SpendingKey } from '../ports/spending-store.js';

const { SpendingGrouping } = historyV1;

const KEYS: ReadonlyMap<historyV1.SpendingGrouping, SpendingKey> = new Map([
  [SpendingGrouping.SPENDING_GROUPING_UNSPECIFIED, 'day'],
  [SpendingGrouping.SPENDING_GROUPING_ACTION, 'action'],
  [SpendingGrouping.SPENDING_GROUPING_RECIPIENT, 'recipient'],
  [SpendingGrouping.SPENDING_GROUPING_TOKEN, 'token'],
]);

/** Reads the key of groups. @throws AppError VALIDATION_ERROR */
export function toSpendingKey(by: historyV1.SpendingGrouping): SpendingKey {
  const key = KEYS.get(by);
  if (!key) throw AppError.field('by', 'is not a key of groups');
  return key;
}

/** Converts sums to their wire form. */
export function toSpendingResponse(spending: Spending): historyV1.SumSpendingResponse {
  return {
    groups: spending.groups.map(toGroup),
    other: spending.other && toGroup(spending.other),
    totalUsdMicros: spending.totalUsdMicros,
    unknownValueCount: BigInt(spending.unknownCount),
  };
}

function toGroup({ key = '', usdMicros, count }: SpendingGroup): historyV1.SpendingGroup {
  return { key, usdMicros, count: BigInt(count) };
}
