import fc from 'fast-check';
import type { OperatorBounds } from '../src/adapters/reservation-rows.js';
import { APPROVAL_REQUIRED, type Decision } from '../src/domain/decision.js';
import type { NewRecipients } from '@agent-wallet/kernel';
import type { Sponsorship } from '../src/domain/sponsorship.js';
import type { TradeFairness } from '../src/domain/trade-fairness.js';
import type { ReservationRequest } from '../src/ports/reservation-store.js';

/** Random policies, usage and requests, and the limit rule's decisions on them by hand. */

export const NOW = '2026-03-01T12:00:00Z';
export const DAY_SECONDS = 86_400;
const RECIPIENTS = ['alice', 'bob', 'carol'] as const;
const MINTS = ['mintA', 'mintB'] as const;
const TICKERS = ['KX', 'KXA-1', 'KXAB-1', undefined] as const;
export const BOUNDS: OperatorBounds = {
  sponsorship: {
    maxLamportsPerTransaction: 90n,
    maxLamportsPerAgentDay: 100n,
    maxLamportsPerDay: 120n,
    maxAccountsPerAgentDay: 1,
  },
  maxPayoutsPerDay: 50n,
  maxTreasuryMovesPerAgentDay: 2,
  requiresOwner: false,
};

/** Spending that was settled before. */
export interface Spent {
  readonly ageSeconds: number;
  readonly valueUsdMicros: bigint;
  /** Whether it was spent like the request: on the same recipient, or in the same way. */
  readonly isAlike: boolean;
  readonly lamports: bigint;
  readonly payout: bigint;
}

export interface Sample {
  readonly maxSingle: bigint;
  readonly dailyLimit: bigint;
  readonly allowedRecipients: readonly string[];
  readonly allowTrading: boolean;
  readonly allowLiquidityProvision: boolean;
  readonly allowPredictionMarkets: boolean;
  readonly newRecipients: NewRecipients;
  readonly coolDownHours: number;
  /** Age of the first payment to the recipient, in seconds; undefined when never paid. */
  readonly paidSecondsAgo: number | undefined;
  /** Time since which payments make known, in seconds ago: since the claim, and since new recipients are not allowed. */
  readonly claimedSecondsAgo: number;
  readonly restrictedSecondsAgo: number | undefined;
  readonly isTrusted: boolean;
  readonly approveAbove: bigint | null;
  readonly allowedTokens: readonly string[] | null;
  /** Whether an owner's signature listed those tokens. */
  readonly isOwnersList: boolean;
  readonly allowedMarkets: readonly string[] | null;
  readonly isClaimed: boolean;
  /** Whether the service lets agents without an owner only receive. */
  readonly requiresOwner: boolean;
  readonly maxTradeLossBps: number | null;
  readonly unpricedTokens: readonly string[];
  readonly outputMint: string;
  readonly isUnverified: boolean;
  readonly trade: TradeFairness;
  readonly ticker: string | undefined;
  readonly frozen: 'nothing' | 'agent' | 'everything';
  readonly spent: readonly Spent[];
  readonly reserved: bigint;
  /** Age of the kept sums, in seconds; undefined when they begin with the first row. */
  readonly sumsSinceSeconds: number | undefined;
  readonly kind: ReservationRequest['kind'];
  readonly recipient: string;
  readonly recipientIsOffCurve: boolean;
  /** Figure from which the value is counted, and the distance from it. */
  readonly value: { readonly from: 'single' | 'left' | 'nothing' | 'unpriced'; readonly by: bigint };
  readonly sponsorship: Sponsorship | undefined;
  readonly amount: bigint;
  /** State of the operation's earlier attempt. */
  readonly before: 'nothing' | 'same' | 'other message' | 'open' | 'failed' | 'expired' | 'settled';
}

const ages = fc.constantFrom(0, 60, DAY_SECONDS - 1, DAY_SECONDS, DAY_SECONDS + 1, 2 * DAY_SECONDS);
const any: fc.Arbitrary<Sample> = fc.record({
  maxSingle: fc.oneof(fc.constant(100n), fc.bigInt(1n, 40n)),
  dailyLimit: fc.bigInt(20n, 70n),
  allowedRecipients: fc.oneof(fc.constant([]), fc.subarray([...RECIPIENTS])),
  allowTrading: fc.constantFrom(true, true, false),
  allowLiquidityProvision: fc.constantFrom(true, true, false),
  allowPredictionMarkets: fc.boolean(),
  newRecipients: fc.constantFrom<NewRecipients>('allow', 'allow', 'approve', 'deny'),
  coolDownHours: fc.constantFrom(0, 0, 24),
  paidSecondsAgo: fc.oneof(fc.constant(undefined), ages),
  claimedSecondsAgo: fc.constantFrom(0, 60, 61, 2 * DAY_SECONDS),
  restrictedSecondsAgo: fc.constantFrom(undefined, undefined, 60, 61, 3 * DAY_SECONDS),
  isTrusted: fc.constantFrom(false, false, true),
  approveAbove: fc.oneof(fc.constant(null), fc.bigInt(1n, 40n)),
  allowedTokens: fc.oneof(fc.constant(null), fc.subarray([...MINTS])),
  isOwnersList: fc.boolean(),
  allowedMarkets: fc.oneof(fc.constant(null), fc.subarray(['KX', 'KXA', 'KXA-1'])),
  isClaimed: fc.boolean(),
  requiresOwner: fc.constantFrom(false, false, false, true),
  maxTradeLossBps: fc.constantFrom(null, null, 300),
  unpricedTokens: fc.subarray([...MINTS]),
  outputMint: fc.constantFrom(...MINTS),
  isUnverified: fc.boolean(),
  trade: fc.record({
    inputUsdMicros: fc.constant(undefined),
    leastOutputUsdMicros: fc.constant(undefined),
    lossBps: fc.constantFrom(undefined, -50, 0, 300, 301, 1_000, 1_001),
    maxLossBps: fc.constantFrom(1_000, 1_000, 350, 10_000),
    takesUnpriced: fc.boolean(),
  }),
  ticker: fc.constantFrom(...TICKERS),
  frozen: fc.constantFrom<Sample['frozen']>('nothing', 'nothing', 'nothing', 'agent', 'everything'),
  spent: fc.array(
    fc.record({
      ageSeconds: ages,
      valueUsdMicros: fc.bigInt(0n, 15n),
      isAlike: fc.boolean(),
      lamports: fc.constantFrom(0n, 0n, 10n, 40n),
      payout: fc.constantFrom(0n, 0n, 20n),
    }),
    { maxLength: 3 },
  ),
  reserved: fc.bigInt(0n, 20n),
  sumsSinceSeconds: fc.oneof(fc.constantFrom(undefined, DAY_SECONDS, DAY_SECONDS + 1), ages),
  kind: fc.constantFrom<Sample['kind']>(
    ...(['payment', 'payment', 'payment', 'trade', 'trade', 'escrow', 'self', 'payout'] as const),
    ...(['liquidity_add', 'liquidity_add', 'liquidity_remove'] as const),
  ),
  recipient: fc.constantFrom(...RECIPIENTS),
  recipientIsOffCurve: fc.boolean(),
  value: fc.record({
    from: fc.constantFrom<Sample['value']['from']>('single', 'left', 'left', 'nothing', 'unpriced'),
    by: fc.constantFrom(-1n, 0n, 0n, 1n, 7n),
  }),
  sponsorship: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.record({
        lamports: fc.constantFrom(1n, 60n, 90n, 91n),
        makesAccount: fc.boolean(),
        account: fc.constantFrom(
          ...[undefined, { rentUsdMicros: 5n, receivedUsdMicros: undefined }],
          ...[4n, 5n, 5n, 6n].map((receivedUsdMicros) => ({ rentUsdMicros: 5n, receivedUsdMicros })),
        ),
      }),
    },
  ),
  amount: fc.constantFrom(1n, 10n, 30n, 31n, 50n, 51n),
  before: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Sample['before']>('nothing') },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Sample['before']>('same', 'other message', 'open', 'failed', 'expired', 'settled'),
    },
  ),
});

/** Samples for the first attempt's statement: only the limits, the recipient and the sums are random. */
const plain: fc.Arbitrary<Sample> = fc
  .tuple(
    any,
    fc.constantFrom<Sample['kind']>('payment', 'trade'),
    fc.constantFrom(undefined, DAY_SECONDS, DAY_SECONDS + 1),
    fc.constantFrom(true, true, true, false),
  )
  .map(([given, kind, sumsSinceSeconds, isFair]) => ({
    ...given,
    ...(isFair ? { isUnverified: false, trade: { ...given.trade, lossBps: 0 } } : {}),
    ...{ kind, sumsSinceSeconds, frozen: 'nothing', sponsorship: undefined, before: 'nothing', allowTrading: true },
  }));
/** Payouts alone, on both sides of what the treasury pays in a day. */
const payouts: fc.Arbitrary<Sample> = any.map((given) => ({
  ...given,
  ...{ kind: 'payout', frozen: 'nothing', before: 'nothing' },
}));
/** Escrows alone: among all samples, one whose market is not listed is too rare to be in every run. */
const escrows: fc.Arbitrary<Sample> = any.map((given) => ({
  ...given,
  ...{ kind: 'escrow', frozen: 'nothing', before: 'nothing', allowPredictionMarkets: true },
}));
export const sample = fc.oneof(
  { weight: 2, arbitrary: any },
  { weight: 2, arbitrary: plain },
  { weight: 1, arbitrary: payouts },
  { weight: 1, arbitrary: escrows },
);

/** Returns by hand when the oldest counted value leaves the window, and when the value of a daily limit would fit. */
export function timesByHand({ spent, reserved, dailyLimit }: Sample, { verdict, valueUsdMicros }: Decision) {
  const counted = spent
    .filter(({ ageSeconds, valueUsdMicros: counts }) => ageSeconds < DAY_SECONDS && counts > 0n)
    .sort((one, other) => other.ageSeconds - one.ageSeconds);
  const leavesAt = (ageSeconds: number) => ago(ageSeconds - DAY_SECONDS).getTime();
  const oldest = counted[0]?.ageSeconds ?? (reserved > 0n ? 0 : undefined);
  const resetsAtMs = oldest === undefined ? undefined : leavesAt(oldest);
  if (verdict !== 'daily_limit') return [resetsAtMs, undefined];
  if (valueUsdMicros! > dailyLimit) return [undefined, undefined];
  const fits = counted.find(({ ageSeconds }) => {
    const later = counted.filter((other) => other.ageSeconds < ageSeconds);
    const left = later.reduce((sum, other) => sum + other.valueUsdMicros, 0n);
    return left + reserved + valueUsdMicros! <= dailyLimit;
  });
  return [resetsAtMs, leavesAt(fits?.ageSeconds ?? 0)];
}

export const ago = (seconds: number) => new Date(Date.parse(NOW) - seconds * 1_000);
/** Returns the value of a sample by hand: both sides of each limit are close. */
export function valueOf({ value, kind, maxSingle, dailyLimit, spent, reserved }: Sample): bigint | undefined {
  if (kind === 'self' || kind === 'payout' || kind === 'liquidity_remove') return 0n;
  if (value.from === 'unpriced') return undefined;
  const settled = spent
    .filter(({ ageSeconds }) => ageSeconds < DAY_SECONDS)
    .reduce((all, { valueUsdMicros }) => all + valueUsdMicros, 0n);
  const from = { single: maxSingle, left: dailyLimit - settled - reserved, nothing: 1n }[value.from];
  return from + value.by > 0n ? from + value.by : 1n;
}
/** Returns by hand whether the request needs an owner whom the agent has not, where no freeze comes first. */
export function isOwnerMissing({ kind, frozen, isClaimed, requiresOwner }: Sample): boolean {
  const isSpending = !['self', 'payout', 'liquidity_remove'].includes(kind);
  return requiresOwner && !isClaimed && isSpending && frozen === 'nothing';
}

/** Returns by hand whether the switch of liquidity forbids the request, where no freeze comes first. */
export function isLiquidityOff(given: Sample): boolean {
  const { kind, frozen, allowLiquidityProvision } = given;
  if (isOwnerMissing(given)) return false;
  const isOfLiquidity = kind === 'liquidity_add' || kind === 'liquidity_remove';
  return isOfLiquidity && frozen === 'nothing' && !allowLiquidityProvision;
}

/** Returns the tokens that an owner's signature listed. */
export function ownerListed({ allowedTokens, isOwnersList }: Sample): readonly string[] {
  return isOwnersList ? (allowedTokens ?? []) : [];
}

export const NOT_LISTED: readonly string[] = ['token_not_allowed', 'market_not_allowed'];

/** Returns what the agent may hold afterwards: what a trade brings, or both tokens of a pool. */
export function acquiredBy({ kind, outputMint }: Sample): readonly string[] {
  return kind === 'liquidity_add' ? MINTS : [outputMint];
}

/** Returns by hand whether the policy does not list what is acquired, where neither a freeze nor a switch comes first. */
export function isUnlisted(given: Sample): boolean {
  const { kind, frozen, allowedTokens, allowedMarkets, ticker = '' } = given;
  if (frozen !== 'nothing' || isOwnerMissing(given)) return false;
  if (kind === 'trade' || kind === 'liquidity_add') {
    const isOwners = acquiredBy(given).every((mint) => ownerListed(given).includes(mint));
    const isUnknown = given.isUnverified && given.isClaimed && !isOwners && restrictsRecipients(given);
    const isSwitchedOn = kind === 'trade' ? given.allowTrading : given.allowLiquidityProvision;
    return isSwitchedOn && (isUnknown || acquiredBy(given).some((mint) => allowedTokens?.includes(mint) === false));
  }
  const beginnings = ticker.split('-').map((_, n, parts) => parts.slice(0, n + 1).join('-'));
  const isListed = allowedMarkets === null || beginnings.some((each) => allowedMarkets.includes(each));
  return kind === 'escrow' && given.allowPredictionMarkets && !isListed;
}

/** Returns by hand whether an owner must approve what every other rule allows. */
export function isToBeAsked(given: Sample, { verdict, valueUsdMicros }: Decision): boolean {
  if (verdict !== 'granted' && verdict !== APPROVAL_REQUIRED) return false;
  if (given.kind === 'self' || given.kind === 'payout' || given.kind === 'liquidity_remove') return false;
  const { paidSecondsAgo = Infinity, restrictedSecondsAgo = Infinity } = given;
  const sinceSecondsAgo = Math.min(given.isClaimed ? given.claimedSecondsAgo : Infinity, restrictedSecondsAgo);
  const isPaid = paidSecondsAgo < sinceSecondsAgo && paidSecondsAgo >= given.coolDownHours * 3_600;
  const isNew = !given.isTrusted && !isPaid;
  const alike = given.spent.filter(({ isAlike, ageSeconds }) => isAlike && ageSeconds < DAY_SECONDS);
  const together = alike.reduce((sum, spent) => sum + spent.valueUsdMicros, valueUsdMicros!);
  const isAbove = given.approveAbove !== null && together > given.approveAbove;
  return isAbove || (given.kind === 'payment' && isNew && given.newRecipients === 'approve');
}

/** Returns by hand whether the trade is unfair under a policy that allows all else. */
export function isUnfair(given: Sample): boolean {
  const { lossBps, maxLossBps, takesUnpriced } = given.trade;
  if (given.kind !== 'trade' && given.kind !== 'liquidity_add') return false;
  if (lossBps === undefined) return !takesUnpriced || given.maxTradeLossBps !== null || restrictsRecipients(given);
  return lossBps > Math.min(maxLossBps, given.maxTradeLossBps ?? Infinity);
}

function restrictsRecipients({ allowedRecipients, newRecipients }: Sample): boolean {
  return allowedRecipients.length > 0 || newRecipients !== 'allow';
}

/** The mint that leaves without a price. */
export const UNPRICED = { mint: MINTS[0], otherUsdMicros: 2n };
