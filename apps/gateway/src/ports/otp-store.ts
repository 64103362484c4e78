import type { CodeUse } from '../domain/otp.js';
import type { RateWindow } from '../domain/rate-limits.js';

/** A code as it is stored. */
export interface NewOtp {
  readonly otpId: string;
  readonly email: string;
  readonly purpose: CodeUse['purpose'];
  /** The owner that a first login names. */
  readonly ownerEmail: string | undefined;
  readonly codeHash: Buffer;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** A try at a code. */
export interface OtpAttempt {
  readonly otpId: string;
  readonly email: string;
  /** The hash that the code has if it is the right one. */
  readonly codeHash: Buffer;
  /** The client's network. */
  readonly client: string;
}

/**
 * The result of a try at a code. `wrong`: another code, another e-mail address, or a code that is unknown, used or
 * over.
 * `spent`: an allowance of tries is used up, and nothing was compared.
 */
export type OtpVerdict =
  | { readonly verdict: 'right' | 'wrong' }
  | { readonly verdict: 'spent'; readonly limit: 'otp' | 'guesses'; readonly window: RateWindow };

/** Codes and how often they may be asked for. */
export interface OtpStore {
  /** Counts a request for a code; `allowed` false when the budget's allowance is spent or the client is blocked. */
  takeRequest(budget: string, client: string): Promise<{ readonly allowed: boolean; readonly window: RateWindow }>;
  /** Takes a counted request back: it led to no mail. `window` is the one it was counted in. */
  returnRequest(budget: string, client: string, window: RateWindow): Promise<void>;
  add(otp: NewOtp): Promise<void>;
  remove(otpId: string): Promise<void>;
  /** Leaves only the newest codes of an e-mail address and a purpose usable. */
  keepNewest(email: string, purpose: CodeUse['purpose'], count: number): Promise<void>;
  /** Counts a try, of its code and, when it is wrong, of its client's network, and compares it in constant time. */
  guess(guess: OtpAttempt): Promise<OtpVerdict>;
  /**
   * Claims a code for one request. `busy` while another request holds it; `used` when it is used, over or gone. A claim
   * lapses by itself.
   */
  claim(otpId: string, claimId: string, lapsesInMs: number): Promise<'claimed' | 'busy' | 'used'>;
  /** Uses a claimed code up; false when the claim was lost. */
  use(otpId: string, claimId: string): Promise<boolean>;
  /** Gives a claimed code back, with the try it cost. */
  release(otpId: string, claimId: string): Promise<void>;
}

/** A claimed code, and who sent it. */
export interface ClaimedOtp {
  readonly otpId: string;
  readonly claimId: string;
  readonly email: string;
  /** The client's network. */
  readonly client: string;
}
