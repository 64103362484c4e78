import {
  ApiError,
  ExpiredKeyError,
  FaucetError,
  NoAnswerError,
  OutcomeUnknownError,
  StillOpenError,
} from '@agent-wallet/sdk';

/** The command line is wrong; the message says how. */
export class UsageError extends Error {}

/** The command needs a session, and has none. */
export class NotLoggedInError extends Error {}

/** The reader has pressed Ctrl-C while an operation was open. */
export class InterruptedError extends Error {}

/** The folder of the program cannot be read or written. Thrown before a request is sent. */
export class HomeError extends Error {}

/** The next step of someone who does not get the result of an effect. */
export interface LostResult {
  readonly next: string;
  /** Whether the same command returns the result. */
  readonly repeatable: boolean;
  readonly transactionId?: string | undefined;
}

/** A command is done, and its result could not be written to stdout. */
export class UnwrittenError extends Error {
  constructor(
    override readonly cause: Error,
    /** Undefined for a command that moves and opens nothing. */
    readonly lost?: LostResult,
  ) {
    super(`${lost ? 'Done, but the' : 'The'} result could not be written: ${cause.message}.`);
  }
}

/** An exit code: its meaning, and the next step. */
interface Exit {
  readonly code: number;
  readonly meaning: string;
  readonly next: string | undefined;
}

/** The exit codes, which the help and the README show. */
export const EXITS = {
  done: { code: 0, meaning: 'done', next: undefined },
  unexpected: { code: 1, meaning: 'something unexpected, or a check has failed', next: undefined },
  usage: { code: 2, meaning: 'the command or the request is wrong', next: 'See the help: add --help.' },
  policy: { code: 3, meaning: 'refused by the policy or the owner', next: 'See the limits: aw policy.' },
  login: { code: 4, meaning: 'not logged in', next: 'Log in: aw login.' },
  funds: {
    code: 5,
    meaning: 'too few funds or contracts',
    next: 'See what the wallet holds: aw balance, aw positions.',
  },
  market: { code: 6, meaning: 'refused by the market, the pool, or the price', next: 'Try a dry run: add --dry-run.' },
  open: { code: 7, meaning: 'still open', next: 'Go on: aw resume.' },
  unknown: {
    code: 8,
    meaning: 'outcome unknown, or the service does not answer',
    next: 'Run the same command again: it never pays twice for one operation.',
  },
  rate: { code: 9, meaning: 'too many requests', next: 'Wait a moment, then run it again.' },
  outdated: { code: 10, meaning: 'left open more than 23 hours ago: look it up in history', next: undefined },
  unwritten: {
    code: 11,
    meaning: 'money moved or a token is open, but the result could not be written',
    next: undefined,
  },
  home: {
    code: 12,
    meaning: 'the folder of the session and of open requests cannot be used: no money moved',
    next: 'Free the disk, or name another folder: --home.',
  },
  reader: { code: 141, meaning: 'the reader of stdout has gone', next: undefined },
} as const satisfies Record<string, Exit>;

export type ExitName = keyof typeof EXITS;

const BY_CODE: Readonly<Record<string, ExitName>> = {
  POLICY_VIOLATION: 'policy',
  POLICY_LOOSENING_NEEDS_OWNER: 'policy',
  OWNER_REQUIRED: 'policy',
  INSUFFICIENT_SCOPE: 'policy',
  APPROVAL_REJECTED: 'policy',
  APPROVAL_EXPIRED: 'policy',
  INSUFFICIENT_FUNDS: 'funds',
  INSUFFICIENT_POSITION: 'funds',
  NO_ROUTE: 'market',
  NO_LIQUIDITY: 'market',
  MARKET_CLOSED: 'market',
  MARKET_PAUSED: 'market',
  POOL_NOT_SUPPORTED: 'market',
  POOL_PAUSED: 'market',
  POOL_PRICE_DEVIATES: 'market',
  SLIPPAGE_EXCEEDED: 'market',
  TRANSACTION_FAILED: 'market',
  UNSAFE_TOKEN: 'market',
};

/** States in history of operations that ended without an effect. */
const BY_STATE: Readonly<Record<string, ExitName>> = {
  rejected_by_policy: 'policy',
  rejected_by_owner: 'policy',
  cancelled: 'policy',
  failed: 'market',
  expired: 'market',
};

/** Reports whether a result or a record is that of an order which was not filled at all: the market refused it. */
export function isUnfilled(order: object): boolean {
  const { count = null, requestedCount = null } = order as {
    readonly count?: unknown;
    readonly requestedCount?: unknown;
  };
  return requestedCount !== null && count !== null && Number(count) === 0;
}

/** Returns the exit code of an operation that has ended with a result. */
export function orderExit(result: object): number {
  return (isUnfilled(result) ? EXITS.market : EXITS.done).code;
}

/** Returns how a failure ends the program. A code that is not known counts by its HTTP status. */
export function exitOf(error: unknown): ExitName {
  if (error instanceof ApiError) return BY_CODE[error.code] ?? byStatus(error.status);
  if (error instanceof StillOpenError) return 'open';
  if (error instanceof ExpiredKeyError) {
    const { status = '', metadata = {} } = error.transaction ?? {};
    return status === 'cancelled' && isUnfilled(metadata) ? 'market' : (BY_STATE[status] ?? 'outdated');
  }
  if (error instanceof OutcomeUnknownError || error instanceof NoAnswerError) return 'unknown';
  if (error instanceof InterruptedError) return 'unknown';
  if (error instanceof NotLoggedInError) return 'login';
  if (error instanceof HomeError) return 'home';
  if (error instanceof FaucetError) return 'usage';
  if (error instanceof UnwrittenError && error.lost) return 'unwritten';
  // The SDK names an argument that it does not take.
  if (error instanceof UsageError || (error instanceof TypeError && error.cause === undefined)) return 'usage';
  return 'unexpected';
}

function byStatus(status: number): ExitName {
  if (status === 401) return 'login';
  if (status === 403) return 'policy';
  if (status === 429) return 'rate';
  if (status >= 500) return 'unknown';
  return status >= 400 ? 'usage' : 'unexpected';
}

/** Returns the table of exit codes, one line each. */
export function exitTable(): string {
  return Object.values(EXITS)
    .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
    .join('\n');
}
