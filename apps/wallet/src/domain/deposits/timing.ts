/** How fast deposits are looked for by one replica. Times in milliseconds. */
export interface DepositTiming {
  /** Between two reads of a balance. */
  readonly pollIntervalMs: number;
  /** Between two searches for balances that are due. */
  readonly searchMs: number;
  /** Between two searches for accounts and deposits that are due; accounts that this replica made due are read at once. */
  readonly followUpMs: number;
  /** The least between two readings of a wallet's signatures when its balances stand still. */
  readonly sweepMs: number;
  /** Such readings a round, at most: what a deployment of many wallets pays for what balances do not show. */
  readonly sweepsARound: number;
  readonly sweepRoundMs: number;
  /** Every so many of them, all token accounts of the wallet are listed and read, too. */
  readonly fullSweepEvery: number;
  /** Between two reads of a transaction that is not finalized. */
  readonly settleMs: number;
  /** How long what a worker had claimed stays with it when it died. */
  readonly leaseMs: number;
  /** First pause after a failure; doubles up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
}

/** For production. */
export const DEPOSIT_TIMING: DepositTiming = {
  pollIntervalMs: 2_000,
  searchMs: 250,
  followUpMs: 500,
  sweepMs: 4_000,
  sweepsARound: 5,
  sweepRoundMs: 1_000,
  fullSweepEvery: 8,
  settleMs: 2_000,
  leaseMs: 10_000,
  retryMs: 500,
  maxRetryMs: 15_000,
};

/** How long reading an account pauses after it has failed so many times in a row before. */
export function retryPauseMs({ retryMs, maxRetryMs }: DepositTiming, failures: number): number {
  return Math.min(retryMs * 2 ** Math.min(failures, 20), maxRetryMs);
}
