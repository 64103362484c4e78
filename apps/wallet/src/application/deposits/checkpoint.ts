/** The places at which tests make a worker die. */
export type DepositStep =
  | 'after-looking'
  | 'after-noting-changes'
  | 'after-listing'
  | 'after-fetching'
  | 'after-recording'
  | 'after-moving-the-cursor'
  | 'after-finding-accounts'
  | 'after-claiming-pending'
  | 'after-reading-the-outcome'
  | 'after-settling';

/** Passed at every step. Resolves at once, except in tests. */
export type DepositCheckpoint = (step: DepositStep) => Promise<void>;
