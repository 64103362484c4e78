import type { CodeUse } from '../domain/otp.js';
import type { LimitName, RateWindow } from '../domain/rate-limits.js';

/** A code as it is stored. */
export interface NewOtp {
  readonly otpId: string;
  readonly email: string;
  readonly use: CodeUse;
  /** The client's network, when it has logged in to the mailbox; undefined for all others, whose codes displace each other. */
  readonly asker: string | undefined;
  /** Whether it has twelve digits. */
  readonly isLong: boolean;
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
  | { readonly verdict: 'spent'; readonly limit: 'otp' | 'guesses' | 'mailbox_guesses'; readonly window: RateWindow };

/** A request for a code. */
export interface OtpRequest {
  /** The code's id, if one is mailed. */
  readonly otpId: string;
  readonly email: string;
  readonly use: CodeUse;
  /** The client's network. */
  readonly client: string;
}

/**
 * The allowance that a mail is counted in: that of a network that has logged in to the mailbox, that of all other networks,
 * or that of long codes, which are mailed once the others are spent.
 */
export type OtpCharge = 'known' | 'shared' | 'long';

/** The count of a mail. */
export interface CountedOtp {
  readonly charge: OtpCharge;
  /** Window in which the request was counted. */
  readonly window: RateWindow;
}

/** The decision to mail a code. */
export interface MailDecision extends CountedOtp {
  /** Mail a code at once, or when its turn comes. */
  readonly verdict: 'mail' | 'delay';
  /** Whether the client's network has logged in to the mailbox before. */
  readonly isKnown: boolean;
}

/** The decision on a request for a code. */
export type OtpDecision =
  | MailDecision
  /** Mail nothing: the request's id stands for a code that others asked for, and that the mailbox has. */
  | { readonly verdict: 'live'; readonly isLong: boolean; readonly expiresAtMs: number }
  | { readonly verdict: 'refused'; readonly limit: LimitName; readonly window: RateWindow };

/** Codes and how often they may be asked for. */
export interface OtpStore {
  /** Counts a request for a code, and decides on it. */
  takeRequest(request: OtpRequest): Promise<OtpDecision>;
  /** Takes a counted request back: it led to no mail. */
  returnRequest(request: OtpRequest, counted: CountedOtp): Promise<void>;
  add(otp: NewOtp): Promise<void>;
  remove(otpId: string): Promise<void>;
  /** Notes that a code was mailed, and leaves only the newest `count` of its kind usable: address, purpose, asker and length. */
  noteMailed(otpId: string, count: number): Promise<void>;
  /** Returns the id of the code that an id stands for: nearly always itself. */
  codeIdOf(otpId: string): Promise<string>;
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
  /** The code's own id. */
  readonly otpId: string;
  readonly claimId: string;
  readonly email: string;
  /** The client's network. */
  readonly client: string;
}
