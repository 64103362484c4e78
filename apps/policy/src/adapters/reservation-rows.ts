import type { EventRecord } from '@agent-wallet/events';
import type { Attempt, FinalFinding, Settled } from '../domain/attempt.js';
import type { TokenScope } from '@agent-wallet/kernel';
import type { Decision, GrantLimit } from '../domain/decision.js';
import type { SponsorshipBounds } from '../domain/sponsorship.js';
import type { TradeFairness } from '../domain/trade-fairness.js';
import type { PricedIntent, ReservationRequest } from '../ports/reservation-store.js';

/** A request, and the event that is published when it is granted. */
export type PublishedRequest = ReservationRequest & { readonly event: EventRecord };

/** The operator's bounds: on what it pays for all agents, and on agents without an owner. */
export interface OperatorBounds {
  readonly sponsorship: SponsorshipBounds;
  /** Base units that the treasury pays to all agents in a rolling 24 hours. */
  readonly maxPayoutsPerDay: bigint;
  /** Moves to and from the treasury that agents of one mailbox start in a rolling 24 hours; refunds always pass. */
  readonly maxTreasuryMovesPerAgentDay: number;
  /** Whether an agent without an owner only reads and receives. */
  readonly requiresOwner: boolean;
}

/** An outcome of an attempt, and the event that is published with it. */
export interface Settlement {
  readonly attempt: Attempt;
  readonly finding: FinalFinding;
  readonly event: EventRecord;
}

/**
 * Returns the value that the lists of a policy are about: a recipient, the mint that a trade brings, both mints of a pool,
 * or an order's market.
 */
export function targetOf({ kind, recipient, acquiredMints, ticker }: PricedIntent): string | null {
  switch (kind) {
    case 'payment':
      return recipient ?? null;
    case 'trade':
    case 'liquidity_add':
      return acquiredMints?.join(' ') ?? null;
    case 'escrow':
      return ticker ?? null;
    case 'self':
    case 'payout':
    case 'liquidity_remove':
      return null;
  }
}

/** Values of all other spending. */
export const NO_TRADE: Pick<TradeFairness, 'lossBps' | 'maxLossBps' | 'takesUnpriced'> = {
  lossBps: 0,
  maxLossBps: 0,
  takesUnpriced: false,
};

/** A composite of the schema by its attributes, as JSON carries it: int8 as text, bytes in hexadecimal. */
export type CompositeRow = Readonly<Record<string, string | number | boolean | null>>;

/** Writes a composite. */
export const writeRow = (row: CompositeRow): string => JSON.stringify(row);

const hex = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`;

/** Returns the attributes of `reservation_request` that a decision depends on. */
export function spendingRow(spending: PricedIntent): CompositeRow {
  const { kind, recipientIsOffCurve, valueUsdMicros, unpriced, sponsorship, amount, trade = NO_TRADE } = spending;
  return {
    kind,
    target: targetOf(spending),
    is_off_curve: recipientIsOffCurve ?? false,
    value_usd_micros: valueUsdMicros?.toString() ?? null,
    unpriced_mint: unpriced?.mint ?? null,
    other_usd_micros: unpriced?.otherUsdMicros.toString() ?? null,
    loss_bps: trade.lossBps ?? null,
    max_loss_bps: trade.maxLossBps,
    takes_unpriced: trade.takesUnpriced,
    is_unverified: spending.isUnverified ?? false,
    side0_usd_micros: spending.side0UsdMicros?.toString() ?? null,
    lamports: (sponsorship?.lamports ?? 0n).toString(),
    makes_account: sponsorship?.makesAccount ?? false,
    rent_usd_micros: sponsorship?.account?.rentUsdMicros.toString() ?? null,
    received_usd_micros: sponsorship?.account?.receivedUsdMicros?.toString() ?? null,
    amount: amount?.toString() ?? null,
    sent_mint: spending.sent?.mint ?? null,
    sent_amount: spending.sent?.amount.toString() ?? null,
  };
}

/** Returns a `reservation_request`. */
export function requestRow(request: PublishedRequest): CompositeRow {
  const { operationId, step, attempt, intent, messageHash, approvalId, event } = request;
  return {
    ...spendingRow(request),
    operation_id: operationId,
    step,
    attempt,
    intent: hex(intent),
    message_hash: hex(messageHash),
    approval_id: approvalId ?? null,
    token_id: null, // policy knows its operations' tokens itself
    event_id: event.eventId,
    payload: hex(event.payload),
  };
}

/** Returns a `settlement`. */
export function settlementRow({ attempt, finding, event }: Settlement): CompositeRow {
  const { landedAtMs, valueUsdMicros }: Partial<Settled> = finding.state === 'settled' ? finding : {};
  return {
    operation_id: attempt.operationId,
    step: attempt.step,
    attempt: attempt.attempt,
    outcome: finding.state,
    value_usd_micros: valueUsdMicros?.toString() ?? null,
    landed_at: landedAtMs === undefined ? null : new Date(landedAtMs).toISOString(),
    recipient: attempt.recipient ?? null,
    event_id: event.eventId,
    payload: hex(event.payload),
  };
}

/** Returns an `operator_bounds`. */
export function boundsRow({ sponsorship, requiresOwner, ...treasury }: OperatorBounds): CompositeRow {
  return {
    lamports_per_transaction: sponsorship.maxLamportsPerTransaction.toString(),
    accounts_per_agent_day: sponsorship.maxAccountsPerAgentDay,
    lamports_per_agent_day: sponsorship.maxLamportsPerAgentDay.toString(),
    lamports_per_day: sponsorship.maxLamportsPerDay.toString(),
    payouts_per_day: treasury.maxPayoutsPerDay.toString(),
    treasury_moves_per_agent_day: treasury.maxTreasuryMovesPerAgentDay,
    requires_owner: requiresOwner,
  };
}

/** A row of policy.reserve and policy.dry_run; int8 comes as text. */
export interface DecisionRow {
  readonly verdict: Decision['verdict'];
  readonly granted_usd_micros: string | null;
  readonly max_single_usd_micros: string;
  readonly daily_usd_micros: string;
  readonly settled_usd: string;
  readonly reserved_usd: string;
  readonly window_starts_at: Date;
  readonly window_resets_at: Date | null;
  readonly value_fits_at: Date | null;
  readonly max_loss_bps: number;
  readonly grant_detail: string | null;
  readonly grant_limit_usd: string | null;
  readonly grant_used_usd: string | null;
  readonly grant_single_usd: string | null;
  readonly grant_left_usd: string | null;
}

/** Reads a decision from its row. */
export function decisionOf(row: DecisionRow): Decision {
  return {
    verdict: row.verdict,
    valueUsdMicros: amountOf(row.granted_usd_micros),
    maxSingleUsdMicros: BigInt(row.max_single_usd_micros),
    dailyLimitUsdMicros: BigInt(row.daily_usd_micros),
    settledUsdMicros: BigInt(row.settled_usd),
    reservedUsdMicros: BigInt(row.reserved_usd),
    windowStartsAtMs: row.window_starts_at.getTime(),
    resetsAtMs: row.window_resets_at?.getTime(),
    retryAtMs: row.value_fits_at?.getTime(),
    maxLossBps: row.max_loss_bps,
    grant: { singleUsdMicros: amountOf(row.grant_single_usd), leftUsdMicros: amountOf(row.grant_left_usd) },
    ...tokenRefusalOf(row),
  };
}

function amountOf(text: string | null): bigint | undefined {
  return text === null ? undefined : BigInt(text);
}

function tokenRefusalOf(row: DecisionRow): Pick<Decision, 'grantLimit' | 'missingScope'> {
  switch (row.verdict) {
    case 'grant_limit':
      return {
        grantLimit: {
          name: row.grant_detail as GrantLimit['name'],
          limitUsdMicros: amountOf(row.grant_limit_usd),
          usedUsdMicros: amountOf(row.grant_used_usd),
        },
      };
    case 'insufficient_scope':
      return { missingScope: row.grant_detail as TokenScope };
    default:
      return {};
  }
}
