import type { Attempt, AttemptKey, AttemptState, Evidence, FinalFinding } from '../domain/attempt.js';
import type { Decision, Grant } from '../domain/decision.js';
import type { SpendingKind } from '../domain/spending.js';
import type { TradeFairness } from '../domain/trade-fairness.js';
import type { SpentToken } from '../domain/passing-amount.js';
import type { Sponsorship } from '../domain/sponsorship.js';

/** A mint that leaves without a price. */
export interface UnpricedMint {
  /** Base58. */
  readonly mint: string;
  /** Value of all else that leaves, in micro-dollars. */
  readonly otherUsdMicros: bigint;
}

/** A token that a payment brings to its recipient. */
export interface SentToken {
  /** Base58, or `native`, as documents of approvals name it. */
  readonly mint: string;
  /** Base units, without the operator's fee. */
  readonly amount: bigint;
}

/** Value that would leave an agent's control, and the sponsor's or the treasury's. */
export interface PricedIntent {
  /**
   * `payment`: to the recipient; `trade`: for another token; `escrow`: to the treasury, for an order; `liquidity_add`: to a
   * pool, for its liquidity tokens. `self`: it stays the agent's own; `liquidity_remove`: it comes back from a pool; `payout`:
   * the treasury pays it to the agent. No limit of the agent's is for these three.
   */
  readonly kind: SpendingKind;
  /** Base58, of a payment. */
  readonly recipient?: string;
  /** Token that the recipient of a payment gets. */
  readonly sent?: SentToken;
  /** Whether no key can stand behind the recipient's address. */
  readonly recipientIsOffCurve?: boolean;
  /** Base58 addresses of the mints that the agent may hold afterwards: what a trade brings, or both of a pool. */
  readonly acquiredMints?: readonly string[];
  /** Market of an escrow's order. */
  readonly ticker?: string;
  /** Micro-dollars; undefined when there is no price. */
  readonly valueUsdMicros: bigint | undefined;
  /** The token that a payment, a trade or an escrow spends; undefined without a value. */
  readonly spent?: SpentToken | undefined;
  /** The mint without a market that leaves `valueUsdMicros` undefined; undefined otherwise. */
  readonly unpriced?: UnpricedMint | undefined;
  /** Part of the value of an addition of liquidity that is of the first token, in micro-dollars. */
  readonly side0UsdMicros?: bigint | undefined;
  /** Values of a trade, or of an addition of liquidity. */
  readonly trade?: TradeFairness;
  /** Whether an acquired token neither has a name here nor is verified. */
  readonly isUnverified?: boolean;
  /** Whether that could not be found out; it counts as unverified. */
  readonly isVerificationUnknown?: boolean;
  /** Base units of USDC, of an escrow or a payout. */
  readonly amount?: bigint;
  /** Undefined when the wallet pays for itself. */
  readonly sponsorship?: Sponsorship | undefined;
}

/** Reservation that Authorize requests: a message to be permitted, priced. */
export interface ReservationRequest extends AttemptKey, PricedIntent {
  readonly agentId: string;
  /** Serialized intent. */
  readonly intent: Uint8Array;
  /** SHA-256 of the message. */
  readonly messageHash: Uint8Array;
  /** An owner's approval whose document fits the intent; undefined before one is required. */
  readonly approvalId?: string | undefined;
}

/** Spending to decide on without a trace. */
export interface DryRunInput extends PricedIntent {
  readonly agentId: string;
  /** The scoped token that asks. */
  readonly tokenId?: string | undefined;
}

/** Reservations: decided and counted in the database, so that all replicas agree. */
export interface ReservationStore {
  /** Decides, and reserves when granted and uses the approval, in one atomic step. Undefined when the agent has no policy. */
  reserve(request: ReservationRequest): Promise<Grant | Decision | undefined>;
  /** Returns the decision that `reserve` would make on a new operation. Undefined when the agent has no policy. */
  dryRun(input: DryRunInput): Promise<Decision | undefined>;
  /** Lists why spending needs an owner's approval, where it does; `above_amount`, `new_recipient`. */
  approvalReasons(spending: DryRunInput): Promise<string[]>;
  find(key: AttemptKey): Promise<Attempt | undefined>;
  /**
   * Ends an attempt with its outcome, once; answers the outcome that stands.
   * When it landed is never taken to be before the permit, nor in the future.
   */
  settle(attempt: Attempt, finding: FinalFinding): Promise<AttemptState>;
  /**
   * Keeps what was shown of an open attempt, and has it looked at again within seconds: it may land at any time.
   * @param provableInMs when a proof may be there, in milliseconds, if that is sooner
   */
  keepEvidence(key: AttemptKey, evidence: Evidence, provableInMs?: number): Promise<void>;
  /** Has an open attempt looked at again within so many milliseconds. */
  checkWithin(key: AttemptKey, ms: number): Promise<void>;
  /** Takes open attempts that are due to be looked at, away from the other replicas for a while. */
  claimDue(maxCount: number): Promise<Attempt[]>;
}
