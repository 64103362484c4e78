import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { SpendingGroup, SpendingQuery, SpendingStore } from '../ports/spending-store.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
/** The year 9999, which dates in ISO 8601 reach. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');
const MAX_GROUPS = 100;
/** A range that begins within a day touches one day more than it is long. */
const MAX_DAY_GROUPS = MAX_DAYS + 1;

/** The spending of an agent. */
export interface Spending {
  /** Days in order; of any other key the largest first. */
  readonly groups: readonly SpendingGroup[];
  /** All further groups. */
  readonly other: SpendingGroup | undefined;
  readonly totalUsdMicros: bigint;
  readonly unknownCount: number;
}

/** Sums of the confirmed records of an agent that spend. */
export class SumSpending {
  constructor(private readonly spending: SpendingStore) {}

  /** @throws AppError VALIDATION_ERROR, SERVICE_UNAVAILABLE */
  async execute(query: Omit<SpendingQuery, 'maxGroups'>): Promise<Spending> {
    assertUuid('agentId', query.agentId);
    checkRange(query);
    const isByDay = query.by === 'day';
    const found = await this.spending.sum({ ...query, maxGroups: isByDay ? MAX_DAY_GROUPS : MAX_GROUPS });
    const groups = found.filter(({ key }) => key !== undefined);
    if (isByDay) groups.sort((a, b) => (a.key! < b.key! ? -1 : 1));
    return {
      groups,
      other: found.find(({ key }) => key === undefined),
      totalUsdMicros: found.reduce((sum, { usdMicros }) => sum + usdMicros, 0n),
      unknownCount: found.reduce((sum, each) => sum + each.unknownCount, 0),
    };
  }
}

function checkRange({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): void {
  for (const [field, time] of Object.entries({ from: fromMs, to: toMs })) {
    if (!Number.isInteger(time) || time < 0 || time > MAX_TIME_MS)
      throw AppError.field(field, 'must be a time from 1970 to 9999');
  }
  if (fromMs >= toMs) throw AppError.field('to', 'must be later than from');
  if (toMs - fromMs > MAX_DAYS * DAY_MS) throw AppError.field('to', `must be at most ${MAX_DAYS} days after from`);
}
