import { AppError, notFound } from '@agent-wallet/kernel';
import { MalformedMessage, messageFacts, messageHash, verifySignature } from '@agent-wallet/solana';
import type { Attempt, AttemptKey, AttemptState, Evidence, Finding } from '../../domain/attempt.js';
import type { ReservationStore } from '../../ports/reservation-store.js';
import type { FindOutcome } from './find-outcome.js';
import { record } from './record-finding.js';

/** Ends an attempt with the outcome that policy reads from the chain. */
export class Settle {
  constructor(
    private readonly reservations: ReservationStore,
    private readonly outcomes: FindOutcome,
  ) {}

  /**
   * Settles an attempt. Idempotent: concurrent calls count once. Stores evidence of an open attempt, so that policy
   * checks again by itself when a proof may exist.
   * @param shown an empty signature, where none is known, has the message searched for once it can no longer land
   * @throws AppError NOT_FOUND for an attempt that was never permitted; VALIDATION_ERROR for a message or signature
   *   that is not the permitted one; UPSTREAM_ERROR and UPSTREAM_TIMEOUT
   */
  async execute(key: AttemptKey, shown: Evidence): Promise<AttemptState> {
    const attempt = await this.reservations.find(key);
    if (!attempt) throw notFound('attempt', 'Name one that policy permitted.');
    if (attempt.state !== 'open') return attempt.state;
    const evidence = verified(attempt, shown) ?? attempt.evidence;
    let finding: Finding = { state: 'open' };
    try {
      finding = await this.outcomes.execute(attempt, evidence?.signature);
    } finally {
      if (finding.state === 'open' && evidence) {
        await this.reservations.keepEvidence(key, evidence, finding.provableInMs);
      }
    }
    return finding.state === 'open' && evidence ? 'open' : record(this.reservations, attempt, finding);
  }
}

/** Returns the evidence if it is for the permitted message; undefined when no signature was shown. */
function verified({ messageHash: permitted }: Attempt, { message, signature }: Evidence): Evidence | undefined {
  const isPermitted = Buffer.compare(messageHash(message), permitted) === 0;
  if (signature.length === 0 && (message.length === 0 || isPermitted)) return undefined;
  if (!isPermitted) throw AppError.field('message', 'is not the message that was permitted');
  if (!verifySignature(message, signature, feePayerOf(message))) {
    throw AppError.field('signature', "is not the signature of the message's fee payer");
  }
  return { message, signature };
}

function feePayerOf(message: Uint8Array): string {
  try {
    return messageFacts(message).feePayer;
  } catch (error) {
    if (error instanceof MalformedMessage) throw AppError.field('message', 'is not a Solana message');
    throw error;
  }
}
