import { AppError } from '@agent-wallet/kernel';

/** Rate limits. Settings of the operator. */
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

/** Window and description of a limit of the gateway. */
interface Limited {
  readonly windowSeconds: number;
  /** Counts in a sentence: `30 requests per minute for this agent`. */
  readonly counted: (limit: number) => string;
}

const LIMITED = {
  client: { windowSeconds: 60, counted: (limit) => `${limit} requests per minute from this network` },
  agent: { windowSeconds: 60, counted: (limit) => `${limit} requests per minute for this agent` },
  owner: { windowSeconds: 60, counted: (limit) => `${limit} requests per minute for this owner` },
  passkey: {
    windowSeconds: 600,
    counted: (limit) => `${limit} rejected passkey logins in ten minutes from this network`,
  },
  email: { windowSeconds: 600, counted: (limit) => `${limit} login codes in ten minutes for this e-mail address` },
  otp: { windowSeconds: 600, counted: (limit) => `${limit} tries at this login code` },
  guesses: { windowSeconds: 3_600, counted: (limit) => `${limit} wrong login codes in an hour from this network` },
} as const satisfies Record<string, Limited>;

/** A limit of the gateway. `guesses` and `passkey` are of the client. */
export type LimitName = keyof typeof LIMITED;

/** Returns the length of a limit's window. */
export function windowSecondsOf(name: LimitName): number {
  return LIMITED[name].windowSeconds;
}

/** RATE_LIMIT_EXCEEDED, with the window that is full. */
export class RateLimited extends AppError {
  /** @param nowMs Unix milliseconds */
  constructor(
    name: LimitName,
    readonly window: RateWindow,
    nowMs: number,
  ) {
    const { windowSeconds, counted } = LIMITED[name];
    const waitSeconds = Math.max(Math.ceil((window.resetsAtMs - nowMs) / 1_000), 1);
    // The window of a login code ends with the code.
    const mayWait = name !== 'otp';
    super('RATE_LIMIT_EXCEEDED', {
      message: `More than ${counted(window.limit)}. ${mayWait ? `Wait ${waitSeconds} s.` : 'Ask for a new code.'}`,
      data: {
        scope: name === 'guesses' || name === 'passkey' ? 'client' : name,
        limit: window.limit,
        windowSeconds,
        ...(mayWait ? { retryAtMs: Math.max(window.resetsAtMs, nowMs + 1_000) } : {}),
      },
    });
  }
}
