/** The public API's envelope: with `Data` for a success, with a failure's fields otherwise. */
export interface Envelope<Data> {
  readonly status: boolean;
  readonly statusCode: number;
  readonly message: string;
  /** What a status does not have is undefined. */
  readonly data: Data & Partial<Failure>;
}

/** What tells an agent what went wrong and what it can do. */
export interface Failure {
  readonly code: string;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly rule: string;
  readonly suggestion: string;
}

/** A started login. */
export interface StartedLogin {
  readonly otpId: string;
}

/** A session. */
export interface Session {
  readonly sessionToken: string;
  readonly chainAddress: string;
}

/** Balances (specification 2.5), the fields that are used here. */
export interface Balances {
  readonly sol: { readonly balance: number };
  readonly tokens: ReadonlyArray<{ readonly symbol: string; readonly balance: number }>;
  readonly totalUsdValue: number;
}

/** A transfer's result (specification 2.2). */
export interface TransferResult {
  readonly transactionId: string;
  readonly status: string;
  readonly signature: string;
  readonly amount: string;
  readonly amountRaw: string;
}

/** The same result, or the shape of a duplicate (specification 2.7). */
export interface TransferData extends TransferResult {
  readonly cached?: boolean;
  readonly originalResponse?: TransferResult;
}

/** A record of history (specification 2.4). */
export interface HistoryRecord {
  readonly id: string;
  readonly action: string;
  readonly asset: string;
  readonly amount: number;
  readonly to: string;
  readonly signature: string;
  readonly status: string;
}

/** A page of history. */
export interface HistoryPage {
  readonly transactions: readonly HistoryRecord[];
  readonly pagination: { readonly total: number };
}

/** What of the daily limit is used. */
export interface Usage {
  readonly usedUsd: number;
  readonly reservedUsd: number;
}
