import type { Decision } from '../domain/decision.js';

/** A row of policy.authorize and policy.foresee; int8 comes as text. */
export interface DecisionRow {
  readonly verdict: Decision['verdict'];
  readonly granted_usd_micros: string | null;
  readonly max_single_usd_micros: string;
  readonly daily_usd_micros: string;
  readonly settled_usd: string;
  readonly reserved_usd: string;
  readonly window_starts_at: Date;
  readonly window_resets_at: Date | null;
}

/** Reads a decision from its row. */
export function decisionOf(row: DecisionRow): Decision {
  return {
    verdict: row.verdict,
    valueUsdMicros: row.granted_usd_micros === null ? undefined : BigInt(row.granted_usd_micros),
    maxSingleUsdMicros: BigInt(row.max_single_usd_micros),
    dailyLimitUsdMicros: BigInt(row.daily_usd_micros),
    settledUsdMicros: BigInt(row.settled_usd),
    reservedUsdMicros: BigInt(row.reserved_usd),
    windowStartsAtMs: row.window_starts_at.getTime(),
    resetsAtMs: row.window_resets_at?.getTime(),
  };
}
