/** What a transfer was resolved to. Kept as JSON, so amounts are texts; what a plan does not have is absent. */
export interface TransferPlan {
  /** Base58 address of the mint; empty for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Base58 address of the program that owns the mint; empty for the native coin. */
  readonly tokenProgram: string;
  /** Base units that the caller asked to send. */
  readonly amount: string;
  /** Whether the recipient's token account has to be made. */
  readonly createsRecipientAccount: boolean;
  /** Lamports that this account must hold. */
  readonly rentLamports?: string;
  /** What the operator takes, when it takes something. */
  readonly fee?: OperatorFee;
  /** Base58 address of the sponsor, when it pays network fee and rent. */
  readonly sponsor?: string;
  /**
   * Base units that the recipient gets of a token whose mint takes a fee: by the mint's terms at first, and as the
   * chain booked it once it has landed.
   */
  readonly received?: string;
}

/** The operator's fee of a transfer. */
export interface OperatorFee {
  /** Base units of the same token, at least 1. */
  readonly amount: string;
  /** Base58 address of the operator's fee wallet. */
  readonly recipient: string;
  /** Whether it is taken from the amount instead of added to it. */
  readonly isDeducted: boolean;
}

/** Base units of the token, as they move. */
export interface TransferUnits {
  /** Asked for. */
  readonly amount: bigint;
  /** Goes from the wallet to the recipient. */
  readonly sent: bigint;
  /** Goes from the wallet to the operator. */
  readonly fee: bigint;
  /** What leaves the wallet in all, network fee and rent apart. */
  readonly leaving: bigint;
  /** What the recipient gets. */
  readonly received: bigint;
}

/** What moves by a plan. */
export function unitsOf(plan: TransferPlan): TransferUnits {
  const amount = BigInt(plan.amount);
  const fee = BigInt(plan.fee?.amount ?? 0);
  const sent = plan.fee?.isDeducted ? amount - fee : amount;
  return { amount, sent, fee, leaving: sent + fee, received: BigInt(plan.received ?? sent) };
}
