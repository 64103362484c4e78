import { AppError, type RateLimitScope } from '@agent-wallet/kernel';

/** Rate limits. Settings of the operator. */
export interface RateLimits {
  /** Requests of one client address in a minute, but for those of good sessions. */
  readonly clientPerMinute: number;
  /** Requests of one agent in a minute, and of each of its scoped tokens. */
  readonly agentPerMinute: number;
  /**
   * Codes of one purpose mailed to one e-mail address in ten minutes: for each network (/24, /48) that has logged in to the
   * mailbox, and for all other networks together, for each owner that codes name.
   */
  readonly otpsPerTenMinutes: number;
  /** E-mail addresses that one client address asks for codes of in an hour, where it has not logged in to the mailbox. */
  readonly otpAddressesPerHour: number;
  /**
   * Codes of one purpose for a mailbox in an hour: for all networks together that have logged in to it; and, for the others,
   * those for tagged addresses or that name an owner.
   */
  readonly otpsPerMailboxHour: number;
  /** Codes that networks without a login have mailed in a minute, in the deployment. Later ones wait for their turn. */
  readonly otpMailsPerMinute: number;
  /** Tries at one login code in its ten minutes. */
  readonly triesPerOtp: number;
  /** Wrong tries of one client address in an hour, at all login codes together. */
  readonly wrongOtpsPerHour: number;
  /** Wrong tries of all clients in a day, at the codes of six digits of one mailbox. */
  readonly wrongOtpsPerMailboxDay: number;
  /** Requests of one owner in a minute. */
  readonly ownerPerMinute: number;
  /** Rejected passkey logins of one client address in ten minutes. */
  readonly passkeysPerTenMinutes: number;
}

/** A caller's usage of one window. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Unix milliseconds at which the window ends. */
  readonly resetsAtMs: number;
}

/** Scope, window and description of a limit of the gateway. */
interface Limited {
  readonly scope: RateLimitScope;
  readonly windowSeconds: number;
  /** Counts in a sentence: `30 requests per minute for this agent`. */
  readonly counted: (limit: number) => string;
}

const MINUTE = 60;
const TEN_MINUTES = 600;
const HOUR = 3_600;
const DAY = 86_400;

const LIMITED = {
  client: {
    scope: 'client',
    windowSeconds: MINUTE,
    counted: (limit) => `${limit} requests per minute from this network`,
  },
  agent: { scope: 'agent', windowSeconds: MINUTE, counted: (limit) => `${limit} requests per minute for this agent` },
  token: { scope: 'agent', windowSeconds: MINUTE, counted: (limit) => `${limit} requests per minute with this token` },
  owner: { scope: 'owner', windowSeconds: MINUTE, counted: (limit) => `${limit} requests per minute for this owner` },
  passkey: {
    scope: 'client',
    windowSeconds: TEN_MINUTES,
    counted: (limit) => `${limit} rejected passkey logins in ten minutes from this network`,
  },
  email: {
    scope: 'email',
    windowSeconds: TEN_MINUTES,
    counted: (limit) => `${limit} login codes in ten minutes for this e-mail address`,
  },
  mailbox: {
    scope: 'email',
    windowSeconds: HOUR,
    counted: (limit) => `${limit} login codes in an hour for this mailbox`,
  },
  addresses: {
    scope: 'client',
    windowSeconds: HOUR,
    counted: (limit) => `${limit} e-mail addresses in an hour for which this network asks for login codes`,
  },
  otp: { scope: 'otp', windowSeconds: TEN_MINUTES, counted: (limit) => `${limit} tries at this login code` },
  guesses: {
    scope: 'client',
    windowSeconds: HOUR,
    counted: (limit) => `${limit} wrong login codes in an hour from this network`,
  },
  mailbox_guesses: {
    scope: 'email',
    windowSeconds: DAY,
    counted: (limit) => `${limit} wrong login codes in a day for this mailbox`,
  },
} as const satisfies Record<string, Limited>;

/** A limit of the gateway. */
export type LimitName = keyof typeof LIMITED;

/** Returns the length of a limit's window. */
export function windowSecondsOf(name: LimitName): number {
  return LIMITED[name].windowSeconds;
}

/** RATE_LIMIT_EXCEEDED, with the window that is full. */
export class RateLimited extends AppError {
  readonly windowSeconds: number;

  /** @param nowMs Unix milliseconds */
  constructor(
    name: LimitName,
    readonly window: RateWindow,
    nowMs: number,
  ) {
    const { scope, windowSeconds, counted } = LIMITED[name];
    const waitSeconds = Math.max(Math.ceil((window.resetsAtMs - nowMs) / 1_000), 1);
    // The window of a login code ends with the code, and a mailbox that was guessed at gets long codes at once.
    const mayWait = name !== 'otp' && name !== 'mailbox_guesses';
    super('RATE_LIMIT_EXCEEDED', {
      message: `More than ${counted(window.limit)}. ${mayWait ? `Wait ${waitSeconds} s.` : 'Ask for a new code.'}`,
      data: {
        scope,
        limit: window.limit,
        windowSeconds,
        ...(mayWait ? { retryAtMs: Math.max(window.resetsAtMs, nowMs + 1_000) } : {}),
      },
    });
    this.windowSeconds = windowSeconds;
  }
}
