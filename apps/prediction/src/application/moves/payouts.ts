import { errorEntry, sleep } from '@agent-wallet/kernel';
import type { DatabaseTransaction } from '@agent-wallet/platform';
import type { EndedPayout, Payout } from '../../domain/orders/order-plan.js';
import type { LedgerWriter } from '../../ports/ledger-store.js';
import type { MoveFailure, Moves } from './moves.js';

/** The result of one step of a payout, and the ledger write that goes with it. */
type PayoutStep =
  | { readonly kind: 'on'; readonly payout: Payout }
  | {
      readonly kind: 'over';
      readonly payout: EndedPayout;
      readonly write: (tx: DatabaseTransaction) => Promise<void>;
      /** The reason that it could not be sent, when it is in the prediction balance instead. */
      readonly failure?: MoveFailure;
    }
  | { readonly kind: 'wait'; readonly forMs: number };

/** The step of an operation that pays, and the limits of its attempts. */
export interface PayoutTerms {
  readonly operationId: string;
  readonly agentId: string;
  readonly step: number;
  /** After so many attempts that did nothing it is not tried again. */
  readonly maxAttempts: number;
  /** Whether to start nothing: a payout that has not begun never will. */
  readonly cancelIfNotStarted?: boolean | undefined;
}

const SOON_MS = 250;

/**
 * Brings what lies in `withdraw_pending` to the wallet. It stays there for as long as the outcome is unknown, and becomes
 * prediction balance once it is certain that it cannot be sent.
 */
export class Payouts {
  constructor(
    private readonly moves: Moves,
    private readonly ledger: Pick<LedgerWriter, 'payoutConfirmed' | 'payoutExpired'>,
    /** Between two attempts, in milliseconds; it grows. */
    private readonly pauseMs: number,
  ) {}

  /** Takes a payout one step on. @throws any error that says nothing of the outcome, or the signal's reason */
  async step(terms: PayoutTerms, payout: Payout, signal: AbortSignal): Promise<PayoutStep> {
    const { operationId, agentId, step, cancelIfNotStarted } = terms;
    const { amountUsdMicros, attempt } = payout;
    const name = { operationId, agentId, step, attempt };
    const moved = await this.moves.move(name, { direction: 'payout', amountUsdMicros, cancelIfNotStarted });
    switch (moved.kind) {
      case 'confirmed': {
        const { signature } = moved;
        const write = (tx: DatabaseTransaction) => this.ledger.payoutConfirmed(tx, { operationId, agentId }, step);
        return { kind: 'over', payout: { kind: 'paid', amountUsdMicros, attempt, signature }, write };
      }
      case 'submitted': {
        const { signature } = moved;
        if (signature === '' || signature === payout.signature) return { kind: 'wait', forMs: SOON_MS };
        return { kind: 'on', payout: { ...payout, signature } };
      }
      case 'over':
        return this.#again(terms, payout, { failure: moved.failure, signal });
    }
  }

  /**
   * Retries a payout a few times after an error that may pass. After that, and after any other error, the payout
   * becomes prediction balance.
   */
  async #again(
    { operationId, agentId, step, maxAttempts }: PayoutTerms,
    { amountUsdMicros, sinceMs, attempt }: Payout,
    { failure, signal }: { readonly failure: MoveFailure; readonly signal: AbortSignal },
  ): Promise<PayoutStep> {
    const { code } = failure.error;
    const mayPass = code === 'TRANSACTION_FAILED' || errorEntry(code).retryable;
    if (mayPass && attempt < maxAttempts) {
      await sleep(this.pauseMs * attempt, signal);
      return { kind: 'on', payout: { amountUsdMicros, sinceMs, attempt: attempt + 1 } };
    }
    const write = (tx: DatabaseTransaction) => this.ledger.payoutExpired(tx, { operationId, agentId }, step);
    return { kind: 'over', payout: { kind: 'in_balance', amountUsdMicros, attempt }, write, failure };
  }
}

/** Returns a first attempt, to be written with the entry that makes the money pending. */
export function firstPayout(amountUsdMicros: bigint, nowMs: number): Payout {
  return { amountUsdMicros, sinceMs: nowMs, attempt: 1 };
}
