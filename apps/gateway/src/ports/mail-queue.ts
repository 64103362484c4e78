import type { CodeUse } from '../domain/otp.js';

/** A code that waits, and who asked for it. */
export interface WaitingOtp {
  readonly otpId: string;
  readonly use: CodeUse;
  /** The client's network: networks take turns. */
  readonly client: string;
  /** Whether the network has logged in to the mailbox before: its mails come first. */
  readonly isKnown: boolean;
}

/** A code that is still to be mailed, as one try of it was claimed. */
export interface QueuedOtp extends WaitingOtp {
  readonly email: string;
  /** Whether the code has twelve digits. */
  readonly isLong: boolean;
  /** Unix milliseconds. */
  readonly askedAtMs: number;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Number of this try, from 1. It fences the claim: a later try ends an earlier one. */
  readonly tries: number;
}

/** Codes that were not mailed at once: the mail server did not accept them, or they wait for their turn. */
export interface MailQueue {
  /** Queues a stored code; false when the queue is full. */
  add(otp: WaitingOtp, dueInMs: number): Promise<boolean>;
  /** Claims codes that are due. No other replica gets them for `leaseMs`. */
  takeDue(count: number, leaseMs: number): Promise<readonly QueuedOtp[]>;
  /** Stores the hash of a fresh code. False when the code was used, is over, or another try has begun. */
  replaceCode(queued: QueuedOtp, codeHash: Buffer): Promise<boolean>;
  /** Sets when the next try is due, unless another one has begun. */
  retry(queued: QueuedOtp, inMs: number): Promise<void>;
  /** Takes a code out of the queue, unless another try has begun. */
  remove(queued: QueuedOtp): Promise<void>;
}
