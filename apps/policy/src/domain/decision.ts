/** A rule that refuses, as the public API names it. */
export type Rule = 'recipient_not_allowed' | 'price_unavailable' | 'single_transaction_limit' | 'daily_limit';

/** Why an attempt cannot be permitted whatever the policy says. */
export type Conflict =
  /** The operation belongs to another agent. */
  | 'conflict_other_agent'
  /** Another message was permitted for this attempt. */
  | 'conflict_other_message'
  /** Another intent was permitted for this attempt. */
  | 'conflict_other_intent'
  /** The attempt's outcome is known: there is nothing left to sign. */
  | 'conflict_attempt_is_over'
  /** There is no proof that the attempt before moved nothing. */
  | 'conflict_prior_attempt_may_land';

/** Policy and usage of an agent at one instant. Amounts are micro-dollars. */
export interface Standing {
  readonly maxSingleUsdMicros: bigint;
  readonly dailyLimitUsdMicros: bigint;
  /** Settled within the window. */
  readonly settledUsdMicros: bigint;
  /** Reserved by operations whose outcome is open. */
  readonly reservedUsdMicros: bigint;
  readonly windowStartsAtMs: number;
  /** When the oldest settled value leaves the window; undefined when it is empty, or was not asked for. */
  readonly resetsAtMs: number | undefined;
}

/** What was decided, and on what grounds. */
export interface Decision extends Standing {
  readonly verdict: 'granted' | Rule | Conflict;
  /** The value that was decided on; undefined without a price. */
  readonly valueUsdMicros: bigint | undefined;
}

/** A yes, where the figures do not matter. */
export interface Grant {
  readonly verdict: 'granted';
  readonly valueUsdMicros: bigint;
}

/** What of the daily limit is left. */
export function remainingUsdMicros({ dailyLimitUsdMicros, settledUsdMicros, reservedUsdMicros }: Standing): bigint {
  const left = dailyLimitUsdMicros - settledUsdMicros - reservedUsdMicros;
  return left > 0n ? left : 0n;
}

/** The largest single value that would be granted. */
export function maxAllowedNowUsdMicros(standing: Standing): bigint {
  const remaining = remainingUsdMicros(standing);
  return remaining < standing.maxSingleUsdMicros ? remaining : standing.maxSingleUsdMicros;
}

/** Whether a verdict is about the attempt and not about the policy. */
export function isConflict(verdict: Decision['verdict']): verdict is Conflict {
  return verdict.startsWith('conflict_');
}
