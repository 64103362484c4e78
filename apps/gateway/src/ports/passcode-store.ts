import type { RateWindow } from '../domain/rate-limits.js';

/** A code as it is stored. */
export interface NewPasscode {
  readonly otpId: string;
  readonly email: string;
  readonly codeHash: Buffer;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** What a try at a code found. */
export interface PasscodeTry {
  /** False when the allowance of tries is spent. */
  readonly counted: boolean;
  readonly window: RateWindow;
  /** The code that was mailed, unless it is unknown, used or over. */
  readonly passcode?: { readonly email: string; readonly codeHash: Uint8Array } | undefined;
}

/** Codes and how often they may be asked for. */
export interface PasscodeStore {
  /** Counts a request for a code; `allowed` false when the e-mail's allowance is spent or the client is blocked. */
  takeRequest(email: string, client: string): Promise<{ readonly allowed: boolean; readonly window: RateWindow }>;
  /** Takes a counted request back: it led to no mail. `window` is the one it was counted in. */
  returnRequest(email: string, client: string, window: RateWindow): Promise<void>;
  add(passcode: NewPasscode): Promise<void>;
  remove(otpId: string): Promise<void>;
  /** Leaves only the newest codes of an e-mail address usable. */
  keepNewest(email: string, count: number): Promise<void>;
  /** Counts a try, and reads the code. */
  countTry(otpId: string): Promise<PasscodeTry>;
  /**
   * Claims a code for one login. `busy` while another login holds it; `used` when it is used, over or gone. A claim
   * lapses by itself.
   */
  claim(otpId: string, claimId: string, lapsesInMs: number): Promise<'claimed' | 'busy' | 'used'>;
  /** Gives a claimed code back, with the try it cost. */
  release(otpId: string, claimId: string): Promise<void>;
}
