import type { TransactionError } from '../../chain/svm-errors.js';

/** What execute answers, with the codes of the real API: 0 success, negative its own, positive the program's. */
export interface ExecuteReply {
  readonly status: 'Success' | 'Failed';
  readonly code: number;
  readonly signature?: string;
  /** "0" when it did not land. */
  readonly slot: string;
  readonly error?: string;
  readonly totalInputAmount?: string;
  readonly totalOutputAmount?: string;
  readonly inputAmountResult?: string;
  readonly outputAmountResult?: string;
  readonly swapEvents?: ReadonlyArray<Record<string, string>>;
}

/** Why a body is refused before anything is tried: answered as HTTP 400. */
export const REFUSALS = {
  unknownOrder: { code: -1, error: 'Order not found, it might have expired' },
  invalidTransaction: { code: -2, error: 'Invalid signed transaction' },
  invalidMessage: { code: -3, error: 'Invalid message bytes' },
  missingRequestId: { code: -4, error: 'Missing request id' },
  missingTransaction: { code: -5, error: 'Missing signed transaction' },
} as const;

/** Why it did not land, for each of the two kinds of order. */
const FAILURES = {
  failedToLand: { metis: -1000, jupiterz: -2000, error: 'Failed to land' },
  unknown: { metis: -1001, jupiterz: -2001, error: 'Unknown error' },
  invalid: { metis: -1002, jupiterz: -2002, error: 'Invalid transaction' },
  badBlockHeight: { metis: -1004, jupiterz: -2002, error: 'Invalid block height' },
  expired: { metis: -1005, jupiterz: -2003, error: 'Transaction expired' },
  timedOut: { metis: -1006, jupiterz: -2005, error: 'Timed out' },
} as const;

type Failure = keyof typeof FAILURES;

const SLIPPAGE_CODE = 6001;

const PROGRAM_ERRORS: Readonly<Record<number, string>> = {
  [SLIPPAGE_CODE]: 'Slippage tolerance exceeded',
  6008: 'Not enough account keys',
  6014: 'Incorrect token program ID',
  6017: 'Exact out amount not matched',
  6024: 'Insufficient funds',
  6025: 'Invalid token account',
};

/** Whether it may still land. */
export function isOpen(code: number): boolean {
  return code === FAILURES.timedOut.metis || code === FAILURES.timedOut.jupiterz;
}

/** It did not land, or that is unknown. */
export function failed(failure: Failure, router: 'metis' | 'jupiterz', signature?: string): ExecuteReply {
  const { [router]: code, error } = FAILURES[failure];
  return { status: 'Failed', code, error, slot: '0', ...(signature !== undefined && { signature }) };
}

/** The price went too far before it was sent. */
export function rejectedAtFinalCheck(): ExecuteReply {
  return { status: 'Failed', code: SLIPPAGE_CODE, error: PROGRAM_ERRORS[SLIPPAGE_CODE]!, slot: '0' };
}

/** It landed and failed: its fee is gone. */
export function failedOnChain(
  error: TransactionError,
  router: 'metis' | 'jupiterz',
  place: { signature: string; slot: string },
): ExecuteReply {
  const inner = typeof error === 'string' ? undefined : (error['InstructionError'] as [number, unknown] | undefined);
  const code = (inner?.[1] as { Custom?: number } | undefined)?.Custom;
  if (code === undefined) return { ...failed('unknown', router), ...place };
  // The two programs number their errors alike and mean other things.
  const text = router === 'metis' ? PROGRAM_ERRORS[code] : undefined;
  return { status: 'Failed', code, error: text ?? `custom program error: #${code}`, ...place };
}
