import type { Attempt, AttemptKey, AttemptState, Evidence } from '../domain/attempt.js';
import type { Decision, Grant } from '../domain/decision.js';
import type { Sponsorship } from '../domain/sponsorship.js';

/** What would leave an agent's control, and the sponsor's or the treasury's. */
export interface Appraisal {
  /**
   * `payment`: to the recipient; `trade`: for another token; `escrow`: to the treasury, for an order. `own`: it stays the
   * agent's own, and `payout`: the treasury pays it to the agent; no limit of the agent's is for these.
   */
  readonly kind: 'payment' | 'trade' | 'escrow' | 'own' | 'payout';
  /** Base58, of a payment. */
  readonly recipient?: string;
  /** Whether no key can stand behind the recipient's address. */
  readonly recipientIsOffCurve?: boolean;
  /** Micro-dollars; undefined when there is no price. */
  readonly valueUsdMicros: bigint | undefined;
  /** Base units of USDC, of an escrow or a payout. */
  readonly amount?: bigint;
  /** Undefined when the wallet pays for itself. */
  readonly sponsorship?: Sponsorship | undefined;
}

/** What Authorize asks of the ledger: a message to be permitted, priced. */
export interface ReservationRequest extends AttemptKey, Appraisal {
  readonly agentId: string;
  /** Serialized intent. */
  readonly intent: Uint8Array;
  /** SHA-256 of the message. */
  readonly messageHash: Uint8Array;
}

/** What would be spent, for a decision that leaves no trace. */
export interface Prospect extends Appraisal {
  readonly agentId: string;
}

/** Reservations: decided and counted in the database, so that all replicas agree. */
export interface Ledger {
  /** Decides, and reserves when granted, in one atomic step. Undefined when the agent has no policy. */
  authorize(request: ReservationRequest): Promise<Grant | Decision | undefined>;
  /** What authorize would decide on a new operation. Undefined when the agent has no policy. */
  foresee(prospect: Prospect): Promise<Decision | undefined>;
  find(key: AttemptKey): Promise<Attempt | undefined>;
  /** Writes an outcome down, once; answers the one that stands. */
  conclude(attempt: Attempt, outcome: Exclude<AttemptState, 'open'>): Promise<AttemptState>;
  /** Keeps what was shown of an open attempt, and has it looked at again soon. */
  keepEvidence(key: AttemptKey, evidence: Evidence): Promise<void>;
  /** Open attempts that are due to be looked at; nobody else gets them for a while. */
  claimDue(maxCount: number): Promise<Attempt[]>;
}

/** Block heights as policy read them. */
export interface HeadLog {
  /** Reads the head, and notes it with the times around the reading. */
  observe(read: () => Promise<{ readonly blockHeight: number; readonly slot: number }>): Promise<void>;
  /** A slot that had passed when an attempt was permitted, so that it cannot have landed before; 0 when unknown. */
  slotBefore(key: AttemptKey): Promise<number>;
  /** A slot after all blocks of a height and lower ones; Infinity when unknown. */
  slotAfter(height: number): Promise<number>;
}
