/** The public API's envelope: with `Data` for a success, with a failure's fields otherwise. */
export interface Envelope<Data> {
  readonly status: boolean;
  readonly statusCode: number;
  readonly message: string;
  /** Data of the response; fields that a status does not have are undefined. */
  readonly data: Data & Partial<Failure>;
}

/** Fields that describe a failure to an agent, with its next step. */
interface Failure {
  readonly code: string;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly rule: string;
  readonly suggestion: string;
  /** Fee that the network took for a transaction that landed with an error. */
  readonly networkFeeLamports: number;
  /** Signatures of the transaction that took USDC for a failed order, and of its refund. */
  readonly signature: string;
  readonly refundSignature: string;
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
  readonly tokens: ReadonlyArray<{
    readonly mint: string;
    readonly symbol: string;
    readonly balance: number;
    readonly liquidity: { readonly pool: string } | null;
  }>;
  readonly totalUsdValue: number;
}

/** Fields of every operation's result. */
export interface OperationResult {
  readonly transactionId: string;
  readonly status: string;
  readonly signature: string;
  readonly amount: string;
  readonly amountRaw: string;
}

/** A transfer's result (specification 2.2). */
export interface TransferResult extends OperationResult {
  readonly amountSent: number;
  readonly fee: number;
  readonly feeMode: string;
  readonly totalDeducted: number;
}

/** A trade's result (specification 2.3). */
export interface TradeResult {
  readonly transactionId: string;
  readonly status: string;
  readonly signature: string;
  readonly inputAmount: string;
  readonly outputAmount: string;
  readonly inputMint: string;
  readonly outputMint: string;
  readonly inputAmountRaw: string;
  readonly outputAmountRaw: string;
  readonly minOutputAmountRaw: string;
  readonly slippageBps: number;
  readonly priceImpact: string | null;
  readonly route: readonly string[];
  readonly warnings: ReadonlyArray<{ readonly mint: string; readonly type: string; readonly severity: string }>;
}

/** A trade's result, or the shape of a duplicate (specification 2.7). */
export interface TradeData extends TradeResult {
  readonly cached?: boolean;
  readonly originalResponse?: TradeResult;
}

/** A token of a pool, and how much of it moved. */
export interface LiquidityToken {
  readonly mint: string | null;
  readonly symbol: string;
  readonly amount: string;
  readonly amountRaw: string;
}

/** Fields of results of both actions of liquidity. */
interface LiquidityResult {
  readonly transactionId: string;
  readonly status: string;
  readonly signature: string;
  readonly pool: string;
  readonly positionId: string;
  readonly lpMint: string;
  readonly liquidityRaw: string;
  readonly rentLamports: number;
  readonly networkFeeLamports: number;
}

/** An addition's result. */
export interface AdditionResult extends LiquidityResult {
  readonly spent: ReadonlyArray<LiquidityToken & { readonly maxAmountRaw: string }>;
}

/** An addition's result, or the shape of a duplicate. */
export interface AdditionData extends AdditionResult {
  readonly cached?: boolean;
  readonly originalResponse?: AdditionResult;
}

/** A removal's result. */
export interface RemovalResult extends LiquidityResult {
  readonly received: ReadonlyArray<LiquidityToken & { readonly minAmountRaw: string }>;
  readonly remainingRaw: string;
}

/** A removal's result, or the shape of a duplicate. */
export interface RemovalData extends RemovalResult {
  readonly cached?: boolean;
  readonly originalResponse?: RemovalResult;
}

/** A share of a pool. */
interface Position {
  readonly positionId: string;
  readonly lpMint: string;
  readonly amounts: readonly LiquidityToken[];
  readonly liquidityRaw: string;
  readonly sharePercent: number;
  readonly usdValue: number | null;
}

/** All positions of a wallet. */
export interface Positions {
  readonly positions: readonly Position[];
  readonly totalUsdValue: number;
}

/** A pool. */
export interface Pool {
  readonly pool: string;
  readonly tokens: ReadonlyArray<{ readonly mint: string | null; readonly reserveRaw: string }>;
  readonly price: string;
  readonly feeBps: number;
  readonly valueUsd: number | null;
  readonly depositsOpen: boolean;
  readonly unsupportedReason: string | null;
}

/** Fields of a dry run beyond the result. */
export interface DryRun {
  readonly policy: {
    readonly allowed: boolean;
    readonly rule: string | null;
    readonly usedUsd: number;
    readonly remainingUsd: number;
    readonly requestedUsd: number | null;
  };
  readonly networkFeeLamports: number;
  readonly sponsored: boolean;
  readonly balanceChanges: ReadonlyArray<{
    readonly mint: string | null;
    readonly symbol: string;
    readonly amountRaw: string;
  }>;
}

/** Facts about a token. */
export interface TokenFacts {
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly verified: boolean;
  readonly safety: { readonly transferFeeBps: number; readonly unsafeExtensions: readonly string[] };
}

/** A transfer's result, or the shape of a duplicate (specification 2.7). */
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
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A page of history. */
export interface HistoryPage {
  readonly transactions: readonly HistoryRecord[];
  readonly pagination: { readonly total: number };
}

/** Usage of the daily limit. */
export interface Usage {
  readonly usedUsd: number;
  readonly settledUsd: number;
  readonly reservedUsd: number;
}
