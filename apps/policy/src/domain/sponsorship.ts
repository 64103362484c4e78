/** The most that the operator's sponsor pays for one message. */
export interface Sponsorship {
  /** Network fee, and rent of an account that the message makes for its recipient. */
  readonly lamports: bigint;
  /** Whether there is such rent. */
  readonly makesAccount: boolean;
  /** Values that decide whether the sponsor pays such rent; undefined without it, or without a price of SOL. */
  readonly account?: AccountValues | undefined;
}

/** Value of an account that is opened for a recipient, and of the payment that opens it, in micro-dollars. */
export interface AccountValues {
  /** At the highest price of SOL of the last 24 hours, rounded up. */
  readonly rentUsdMicros: bigint;
  /** Value of what the recipient gets, at the last accepted price, rounded down; undefined without a price. */
  readonly receivedUsdMicros: bigint | undefined;
}

/**
 * Bounds of sponsorship. A day is a rolling 24 hours; a value equal to a bound is allowed. Agents of one mailbox count as
 * one agent.
 */
export interface SponsorshipBounds {
  readonly maxLamportsPerTransaction: bigint;
  readonly maxLamportsPerAgentDay: bigint;
  /** Limit for the whole deployment. Its last quarter is for agents that have taken no more than a quarter of theirs. */
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
