import type { TokenScope } from '@agent-wallet/kernel';

/** A rule that refuses, as the public API names it. */
export type Rule =
  | 'frozen'
  /** Only agents with an owner spend, as the service's setting says, and this one has none. */
  | 'owner_required'
  | 'trading_disabled'
  | 'liquidity_disabled'
  | 'prediction_markets_disabled'
  /** A trade, or an addition of liquidity, that brings a token which is not listed. */
  | 'token_not_allowed'
  /** An escrow for a market that is not listed, or whose market is not named. */
  | 'market_not_allowed'
  | 'recipient_not_allowed'
  /** Payments to recipients that are not known are denied. */
  | 'new_recipient'
  /** Above the amount that needs an approval, which escrows cannot get. */
  | 'above_amount'
  | 'price_unavailable'
  /** The least output of a trade, or what is added to, is worth too little, or has no price. */
  | 'trade_unfair'
  | 'single_transaction_limit'
  | 'daily_limit'
  /** The operator's bound of buys, withdrawals and paid sales that agents of one mailbox start in 24 hours. */
  | 'treasury_moves_per_day'
  /** A limit of the scoped token that asks, or its recipients. */
  | 'grant_limit'
  /** The scoped token that asks has ended or expired. */
  | 'grant_ended';

/** A bound of the operator's sponsorship that a request would pass. */
export type Bound = (typeof BOUNDS)[number];

const BOUNDS = [
  'sponsored_per_transaction',
  /** The payment is worth less than the rent of the account that it would open. */
  'sponsored_payment_below_rent',
  'sponsored_accounts_per_agent_day',
  'sponsored_per_agent_day',
  'sponsored_per_day',
] as const;

/**
 * Reasons for a denial that are not rules of the agent's policy. `treasury_daily_limit`: the treasury pays out no more
 * today. `unknown_spending`: the limit rule has no case for this kind of spending. `insufficient_scope`: the scoped token that
 * asks has no scope for it.
 */
export type Obstacle =
  | 'recipient_off_curve'
  | 'treasury_daily_limit'
  | 'unknown_spending'
  | 'insufficient_scope'
  | Bound;

/** Every rule allows it once an owner has approved it. */
export const APPROVAL_REQUIRED = 'approval_required';

/** Reasons why no policy can permit an attempt. */
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
  | 'conflict_prior_attempt_may_land'
  /** The operation has paid out already: an escrow comes first. */
  | 'conflict_escrow_after_payout'
  /** The operation's payouts would bring back more than is in its escrow. */
  | 'conflict_payout_beyond_escrow';

/** Policy and usage of an agent at one instant. Amounts are micro-dollars. */
export interface LimitUsage {
  readonly maxSingleUsdMicros: bigint;
  readonly dailyLimitUsdMicros: bigint;
  /** Settled within the window. */
  readonly settledUsdMicros: bigint;
  /** Reserved by operations whose outcome is open. */
  readonly reservedUsdMicros: bigint;
  readonly windowStartsAtMs: number;
  /**
   * Time at which the oldest counted value leaves the window; reserved value leaves it in 24 hours at the latest.
   * Undefined when nothing counts.
   */
  readonly resetsAtMs: number | undefined;
  /** Limits of the scoped token that asks; undefined where none does. */
  readonly grant?: GrantStanding | undefined;
}

/** Limits of a scoped token now, in micro-dollars; undefined: the policy's alone. */
export interface GrantStanding {
  /** Limit of one operation. */
  readonly singleUsdMicros: bigint | undefined;
  /** Least rest of its other limits. */
  readonly leftUsdMicros: bigint | undefined;
}

/** The decision and its grounds. */
export interface Decision extends LimitUsage {
  readonly verdict: 'granted' | typeof APPROVAL_REQUIRED | Rule | Obstacle | Conflict;
  /** The value that was decided on; undefined without a price. */
  readonly valueUsdMicros: bigint | undefined;
  /**
   * Time at which a request that the daily limit refuses would fit, if reserved value settled now and nothing else were
   * spent. Undefined when the value alone exceeds the limit, and for other verdicts.
   */
  readonly retryAtMs: number | undefined;
  /** Loss above which a trade or an addition of liquidity is refused, in basis points; 0 of other spending. */
  readonly maxLossBps: number;
  /** The limit of a scoped token that refuses; undefined for other verdicts. */
  readonly grantLimit?: GrantLimit | undefined;
  /** The scope that a token lacks; undefined for other verdicts. */
  readonly missingScope?: TokenScope | undefined;
}

/** A limit of a scoped token that refuses a request. */
export interface GrantLimit {
  readonly name: 'recipients' | 'single' | 'daily' | 'total';
  /** Undefined of recipients, as what is used. */
  readonly limitUsdMicros: bigint | undefined;
  /** Settled and reserved by the token's other operations; 0 of `single`. */
  readonly usedUsdMicros: bigint | undefined;
}

/** Returns the limit that the rule of a verdict compares the value with; undefined where it compares none. */
export function limitUsdMicros(decision: Decision): bigint | undefined {
  switch (decision.verdict) {
    case 'single_transaction_limit':
      return decision.maxSingleUsdMicros;
    case 'daily_limit':
      return decision.dailyLimitUsdMicros;
    case 'grant_limit':
      return decision.grantLimit?.limitUsdMicros;
    default:
      return undefined;
  }
}

/** A yes, where the figures do not matter. */
export interface Grant {
  readonly verdict: 'granted';
  readonly valueUsdMicros: bigint;
}

/** Returns the value that counts against the daily limit now: settled and reserved. */
export function usedUsdMicros({ settledUsdMicros, reservedUsdMicros }: LimitUsage): bigint {
  return settledUsdMicros + reservedUsdMicros;
}

/** Returns the rest of the policy's daily limit. */
export function remainingUsdMicros(usage: LimitUsage): bigint {
  const left = usage.dailyLimitUsdMicros - usedUsdMicros(usage);
  return left > 0n ? left : 0n;
}

/** Returns what is left to the caller: of the policy's daily limit, and of its token's limits. */
export function leftUsdMicros(usage: LimitUsage): bigint {
  return least(remainingUsdMicros(usage), usage.grant?.leftUsdMicros);
}

/** Returns the largest single value that would be granted. */
export function maxAllowedNowUsdMicros(usage: LimitUsage): bigint {
  return least(leftUsdMicros(usage), usage.maxSingleUsdMicros, usage.grant?.singleUsdMicros);
}

function least(first: bigint, ...others: readonly (bigint | undefined)[]): bigint {
  return others.reduce<bigint>((lowest, other) => (other !== undefined && other < lowest ? other : lowest), first);
}

/** Returns whether a verdict ends the operation: it neither grants, nor asks an owner, nor blames the caller. */
export function isRefusal(verdict: Decision['verdict']): verdict is Rule | Obstacle {
  return verdict !== 'granted' && verdict !== APPROVAL_REQUIRED && !isConflict(verdict);
}

/** Returns whether a verdict is about the attempt and not about the policy. */
export function isConflict(verdict: Decision['verdict']): verdict is Conflict {
  return verdict.startsWith('conflict_');
}

const OBSTACLES: ReadonlySet<string> = new Set<Obstacle>([
  'recipient_off_curve',
  'treasury_daily_limit',
  'unknown_spending',
  'insufficient_scope',
  ...BOUNDS,
]);

/** Returns whether a verdict is about what can be done at all and not about the policy. */
export function isObstacle(verdict: Decision['verdict']): verdict is Obstacle {
  return OBSTACLES.has(verdict);
}
