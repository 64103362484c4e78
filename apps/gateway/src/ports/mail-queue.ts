import type { CodeUse } from '../domain/otp.js';

/** A code that is still to be mailed, as one try of it was claimed. */
export interface QueuedOtp {
  readonly otpId: string;
  readonly email: string;
  readonly use: CodeUse;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Number of this try, from 1. It fences the claim: a later try ends an earlier one. */
  readonly tries: number;
}

/** Codes that the mail server did not accept at once. */
export interface MailQueue {
  /** Queues a stored code; false when the queue is full. */
  add(otpId: string, use: CodeUse, dueInMs: number): Promise<boolean>;
  /** Claims codes that are due. No other replica gets them for `leaseMs`. */
  takeDue(count: number, leaseMs: number): Promise<readonly QueuedOtp[]>;
  /** Stores the hash of a fresh code. False when the code was used, is over, or another try has begun. */
  replaceCode(queued: QueuedOtp, codeHash: Buffer): Promise<boolean>;
  /** Sets when the next try is due, unless another one has begun. */
  retry(queued: QueuedOtp, inMs: number): Promise<void>;
  /** Takes a code out of the queue, unless another try has begun. */
  remove(queued: QueuedOtp): Promise<void>;
}
