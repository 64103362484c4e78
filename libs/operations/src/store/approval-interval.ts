/** Interval between two checks of an approval, in milliseconds; it grows with the operation's age. */
interface ApprovalInterval {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** For production. */
export const DEFAULT_APPROVAL_INTERVAL: ApprovalInterval = { leastMs: 5_000, mostMs: 60_000 };
