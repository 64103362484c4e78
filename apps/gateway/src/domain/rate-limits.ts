import { AppError } from '@agent-wallet/kernel';

/** How often things may be asked for. Settings of the operator. */
export interface RateLimits {
  /** Requests of one client address in a minute. */
  readonly clientPerMinute: number;
  /** Requests of one agent in a minute. */
  readonly agentPerMinute: number;
  /** Login codes mailed to one e-mail address in ten minutes. */
  readonly otpsPerTenMinutes: number;
  /** Tries at one login code in its ten minutes. */
  readonly triesPerOtp: number;
  /** Wrong tries of one client address in an hour, at all login codes together. */
  readonly wrongOtpsPerHour: number;
}

/** Where a caller stands in one window. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Unix milliseconds at which the window ends. */
  readonly resetsAtMs: number;
}

/** RATE_LIMIT_EXCEEDED, with the window that is full. */
export class RateLimited extends AppError {
  constructor(readonly window: RateWindow) {
    super('RATE_LIMIT_EXCEEDED');
  }
}
