import type { Part } from '../parts/parts.js';
import type { TokenScope } from '../token-scopes.js';
import type { ErrorCode } from './catalogue.js';

/** Problem of a request field. */
export type Problem =
  | 'required'
  | 'unknown_field'
  | 'wrong_type'
  | 'out_of_range'
  | 'too_many_decimals'
  | 'too_long'
  | 'invalid_format'
  | 'duplicate';

/** Reason why an address cannot receive a transfer. */
export type AddressProblem = 'not_an_address' | 'mint' | 'token_account' | 'off_curve' | 'fee_payer' | 'screened';

/** Reason why a caller was not authenticated. `wrong_code`: a login code that is wrong, used or expired alike. */
export type AuthenticationReason =
  | 'missing'
  | 'malformed'
  | 'invalid'
  | 'expired'
  | 'revoked'
  | 'wrong_code'
  /** Of owners: a write that another page sent, a session by mail where a passkey exists. */
  | 'wrong_origin'
  | 'passkey_required'
  /** A login that is not fresh enough for what was asked. */
  | 'login_too_old';

/** Subject that a rate limit counts. `upstream`: the requests of all agents to a service that this one depends on. */
export type RateLimitScope = 'client' | 'agent' | 'owner' | 'email' | 'otp' | 'upstream';

/** Reason why the service is unavailable, if the caller may know it. */
export type UnavailableReason = 'recovering' | 'treasury_daily_limit' | 'database' | 'shutting_down';

/** A token that the caller may have meant. */
export type TokenSuggestion = {
  readonly symbol: string;
  /** Base58. */
  readonly mint: string;
};

/**
 * Facts that every error may carry. `Ms` is Unix milliseconds.
 * All but the first three stay between services where the code does not have them, too.
 */
export type CommonFacts = {
  /** Next action for the caller. */
  readonly suggestion?: string;
  /** Time when the next attempt may succeed, as an instant or as a delay from now. */
  readonly retryAtMs?: number;
  readonly retryAfterSeconds?: number;
  /** Outcome of an attempt of a move; see the wallet's `Move`. */
  readonly outcome?: string;
  /** Base58 signatures of the escrow of a refused order, and of what paid it back; public where the code has them. */
  readonly signature?: string;
  readonly refundSignature?: string;
  /** `sponsor` where not the wallet lacks the funds. */
  readonly payer?: 'sponsor';
};

type None = Readonly<Record<never, never>>;

/** A transaction that landed. Its network fee was paid. */
type Landed = {
  /** Base58. */
  readonly signature?: string;
  /** Digits. */
  readonly networkFeeLamports?: string;
};

/** One side of a market of the exchange. */
type MarketFacts = {
  readonly ticker?: string;
  readonly side?: 'yes' | 'no';
  /** Price at which the next contract could trade: in whole cents where 1 to 99 reach it, and exactly. */
  readonly bestPriceCents?: number;
  readonly bestPriceDollars?: string;
  /** The escrow's transaction, and the one that paid it back. Base58. */
  readonly signature?: string;
  readonly refundSignature?: string;
};

/** A pool of liquidity, in base58. */
type PoolFacts = { readonly pool: string };

/** Reasons why liquidity cannot be added to a pool. */
export const POOL_OBSTACLES = [
  /** No account of a known venue lives there. */
  'unknown_pool',
  /** Its trading has not begun. */
  'not_open',
  /** A mint withholds a fee of its transfers. */
  'transfer_fee',
  /** A token has no price that counts. */
  'unpriced',
  /** It holds too little. */
  'too_small',
  /** The share would be too large a part of it. */
  'share_too_large',
] as const;
type PoolObstacle = (typeof POOL_OBSTACLES)[number];

/** Rules that refuse a request: `rule` of POLICY_VIOLATION and of dry runs. */
export const POLICY_RULES = [
  'owner_required',
  /** A claim by another address than the one that the agent named. */
  'named_owner',
  'trading_disabled',
  'liquidity_disabled',
  'prediction_markets_disabled',
  'token_not_allowed',
  'market_not_allowed',
  'recipient_not_allowed',
  'single_transaction_limit',
  'daily_limit',
  'treasury_moves_per_day',
  'price_unavailable',
  'trade_unfair',
  'frozen',
  'new_recipient',
  'above_amount',
  'too_many_approvals',
  'grant_limit',
  'grant_ended',
  'too_many_tokens',
] as const;
type PolicyRule = (typeof POLICY_RULES)[number];

/**
 * The facts of each error beyond its message, as they travel between services. All values are JSON. Exact amounts are
 * digit strings whose unit ends the name; the gateway writes `…UsdMicros` as `…Usd`, `…AtMs` as `…At` and `…Lamports` as a
 * number. A fact that is optional here is null in public when it is absent.
 */
export type ErrorFacts = {
  readonly VALIDATION_ERROR: None;
  readonly INVALID_IDEMPOTENCY_KEY: None;
  readonly UNKNOWN_TOKEN: { readonly didYouMean: readonly TokenSuggestion[] };
  readonly INVALID_ADDRESS: { readonly problem: AddressProblem };
  readonly INSUFFICIENT_FUNDS: {
    readonly asset?: string;
    readonly mint?: string;
    readonly decimals?: number;
    readonly availableRaw?: string;
    readonly neededRaw?: string;
    readonly missingRaw?: string;
    /** Missing SOL; absent for any other shortage. */
    readonly missingLamports?: string;
    /** The bound of sponsorship that was reached. */
    readonly bound?: string;
  };
  readonly UNSAFE_TOKEN: { readonly mint: string; readonly reasons: readonly string[] };
  readonly NO_ROUTE: { readonly inputMint?: string; readonly outputMint?: string };
  readonly MARKET_CLOSED: MarketFacts;
  readonly MARKET_PAUSED: MarketFacts;
  readonly NO_LIQUIDITY: MarketFacts;
  readonly INSUFFICIENT_POSITION: {
    readonly ticker?: string;
    readonly side?: 'yes' | 'no';
    readonly requestedCount?: number;
    readonly availableCount?: number;
    /** Mint of the liquidity tokens of a position in a pool, and base units of them. */
    readonly positionId?: string;
    readonly requestedRaw?: string;
    readonly availableRaw?: string;
  };
  readonly SLIPPAGE_EXCEEDED: Landed & { readonly slippageBps?: number };
  readonly TRANSACTION_FAILED: Landed & { readonly slippageBps?: number };
  readonly AUTHENTICATION_ERROR: { readonly reason: AuthenticationReason };
  readonly POLICY_VIOLATION: {
    readonly rule: PolicyRule;
    readonly limitUsdMicros?: string;
    /** Settled and reserved. */
    readonly usedUsdMicros?: string;
    readonly reservedUsdMicros?: string;
    readonly remainingUsdMicros?: string;
    readonly requestedUsdMicros?: string;
    readonly maxAllowedNowUsdMicros?: string;
    /** An amount of the token asked for that passes now, as decimal text and in base units; absent without a price. */
    readonly maxAmountNow?: string;
    readonly maxAmountNowRaw?: string;
    readonly resetsAtMs?: number;
    /** Values of the input and the least output of a trade that loses too much; absent without a price. */
    readonly inputUsdMicros?: string;
    readonly leastOutputUsdMicros?: string;
    /** Percent of the input's value, at most 2 decimals. */
    readonly lossPercent?: number;
    readonly maxLossPercent?: number;
  };
  readonly NOT_FOUND: { readonly resource: string };
  readonly METHOD_NOT_ALLOWED: { readonly allowed: readonly string[] };
  readonly IDEMPOTENCY_IN_PROGRESS: None;
  readonly PAYLOAD_TOO_LARGE: { readonly maxBytes: number };
  readonly UNSUPPORTED_MEDIA_TYPE: { readonly supported: readonly string[] };
  readonly IDEMPOTENCY_MISMATCH: None;
  readonly RATE_LIMIT_EXCEEDED: {
    readonly scope: RateLimitScope;
    readonly limit?: number;
    readonly windowSeconds?: number;
  };
  readonly INTERNAL_ERROR: None;
  readonly UPSTREAM_ERROR: None;
  readonly UNSAFE_TRANSACTION: None;
  readonly SERVICE_UNAVAILABLE: { readonly reason?: UnavailableReason };
  readonly UPSTREAM_TIMEOUT: None;
  readonly TRANSACTION_EXPIRED: None;
  /** The fields that the change loosens, by their public names; values are JSON texts. */
  readonly POLICY_LOOSENING_NEEDS_OWNER: {
    readonly loosens: ReadonlyArray<{ readonly field: string; readonly before: string; readonly after: string }>;
  };
  readonly OWNER_REQUIRED: None;
  readonly ASSERTION_INVALID: None;
  /** State of the approval. */
  readonly APPROVAL_CLOSED: { readonly state: string };
  readonly OWNERS_NOT_CONFIGURED: None;
  /** The part that the deployment lacks. */
  readonly CAPABILITY_UNAVAILABLE: { readonly capability: Part };
  /**
   * `void`: policy refused the operation when the approval was to be used, the signer is no longer an owner, or the agent's
   * sessions have ended. Without an approval when they ended before one was requested.
   */
  readonly APPROVAL_REJECTED: {
    readonly approvalId?: string;
    readonly reason: 'rejected' | 'withdrawn' | 'void';
  };
  readonly APPROVAL_EXPIRED: { readonly approvalId: string };
  readonly POOL_NOT_SUPPORTED: PoolFacts & { readonly reason: PoolObstacle };
  readonly POOL_PAUSED: PoolFacts;
  /** Percent that the addition would lose, at most 2 decimals, and the most that it may. */
  readonly POOL_PRICE_DEVIATES: PoolFacts & { readonly lossPercent: number; readonly maxLossPercent: number };
  /** The version in force. */
  readonly VERSION_MISMATCH: { readonly version: number };
  /** The scope that the token lacks; absent where no token with scopes is enough. */
  readonly INSUFFICIENT_SCOPE: { readonly scope?: TokenScope };
  readonly CALLER_NOT_ALLOWED: None;
  readonly SIGNING_REFUSED: { readonly reason?: string };
  readonly PERMIT_CONFLICT: { readonly reason?: string };
  /** Not final: the approval that was requested, until when it can be used, and why it is needed. */
  readonly APPROVAL_REQUIRED: {
    readonly approvalId: string;
    readonly expiresAtMs: number;
    readonly reasons: readonly string[];
  };
};

/** A value of a fact: JSON. */
export type Fact = string | number | boolean | null | undefined | readonly Fact[] | { readonly [name: string]: Fact };

/** The facts of an error whose code is not known to the compiler. */
export type Facts = { readonly [name: string]: Fact };

/** Facts that an error of a code may carry. */
export type FactsOf<Code extends ErrorCode> = ErrorFacts[Code] & CommonFacts;
