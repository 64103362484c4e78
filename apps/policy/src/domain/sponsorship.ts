/** The most that the operator's sponsor pays for one message. */
export interface Sponsorship {
  /** Network fee, and rent of an account that the message makes for its recipient. */
  readonly lamports: bigint;
  /** Whether there is such rent. */
  readonly makesAccount: boolean;
}

/** Bounds of sponsorship. A day is a rolling 24 hours; a value equal to a bound is allowed. */
export interface SponsorshipBounds {
  readonly maxLamportsPerTransaction: bigint;
  readonly maxLamportsPerAgentDay: bigint;
  /** Limit for the whole deployment. */
  readonly maxLamportsPerDay: bigint;
  /** Accounts of others whose rent is paid for one agent. */
  readonly maxAccountsPerAgentDay: number;
}

/** Nothing is sponsored. */
export const NO_SPONSORSHIP: SponsorshipBounds = {
  maxLamportsPerTransaction: 0n,
  maxLamportsPerAgentDay: 0n,
  maxLamportsPerDay: 0n,
  maxAccountsPerAgentDay: 0,
};
