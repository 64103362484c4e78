/** What a transfer was resolved to. Kept as JSON, so the amount is a text. */
export interface TransferPlan {
  /** Base58 address of the mint; empty for the native coin. */
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Base58 address of the program that owns the mint; empty for the native coin. */
  readonly tokenProgram: string;
  /** Base units. */
  readonly amount: string;
  /** Whether the recipient's token account has to be made. */
  readonly createsRecipientAccount: boolean;
}
