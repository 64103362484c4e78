/** Timing of the search for deposits by one replica. Times in milliseconds. */
export interface DepositTiming {
  /** Between two reads of a balance. */
  readonly pollIntervalMs: number;
  /** Between two searches for balances that are due. */
  readonly searchMs: number;
  /** Between two searches for accounts and deposits that are due; accounts that this replica made due are read at once. */
  readonly followUpMs: number;
  /** The least between two readings of a wallet's signatures when its balances stand still. */
  readonly sweepMs: number;
  /**
   * Most such readings a round: the price that a deployment of many wallets pays for credits that balances do not show.
   */
  readonly sweepsARound: number;
  readonly sweepRoundMs: number;
  /** Every so many of them, all token accounts of the wallet are listed and read, too. */
  readonly fullSweepEvery: number;
  /** Between two reads of a transaction that is not finalized. */
  readonly settleMs: number;
  /** Time for which a dead worker keeps its claims. */
  readonly leaseMs: number;
  /** First pause after a failure; doubles up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** First pause before an unreadable transaction is read again; doubles up to `maxUnreadableRetryMs`. */
  readonly unreadableRetryMs: number;
  readonly maxUnreadableRetryMs: number;
  /** Between two rounds of such retries. */
  readonly unreadableRoundMs: number;
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
  unreadableRetryMs: 3_600_000,
  maxUnreadableRetryMs: 86_400_000,
  unreadableRoundMs: 10_000,
};

/** Returns the pause of reading an account after so many failures in a row. */
export function retryPauseMs(
  { retryMs, maxRetryMs }: Pick<DepositTiming, 'retryMs' | 'maxRetryMs'>,
  failures: number,
): number {
  return Math.min(retryMs * 2 ** Math.min(failures, 20), maxRetryMs);
}
