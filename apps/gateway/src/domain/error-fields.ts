import type { ErrorFacts, PublicCode } from '@agent-wallet/kernel';

/** A fact by its public name: dollars for micro-dollars, ISO times for Unix milliseconds. */
type PublicName<Name> = Name extends `${infer Stem}UsdMicros`
  ? `${Stem}Usd`
  : Name extends `${infer Stem}AtMs`
    ? `${Stem}At`
    : Name;

/** Fields that the gateway adds to the facts of a code. */
type Added<Facts> = 'networkFeeLamports' extends keyof Facts ? 'explorerUrl' : never;

/** The fields of a code beyond those of every failure: exactly those of the kernel's catalogue. */
export type ErrorField<Code extends PublicCode> = PublicName<keyof ErrorFacts[Code]> | Added<ErrorFacts[Code]>;

type Absent = { readonly [Code in PublicCode]: { readonly [Field in ErrorField<Code>]: null | readonly [] } };

const MARKET = {
  ticker: null,
  side: null,
  bestPriceCents: null,
  bestPriceDollars: null,
  signature: null,
  refundSignature: null,
};
const LANDED = { signature: null, explorerUrl: null, networkFeeLamports: null, slippageBps: null };

/** The fields that each code has beyond those of every failure, with the value of a field that an error does not have. */
export const ERROR_FIELDS: Absent = {
  VALIDATION_ERROR: {},
  INVALID_IDEMPOTENCY_KEY: {},
  UNKNOWN_TOKEN: { didYouMean: [] },
  INVALID_ADDRESS: { problem: null },
  INSUFFICIENT_FUNDS: {
    asset: null,
    mint: null,
    decimals: null,
    availableRaw: null,
    neededRaw: null,
    missingRaw: null,
    missingLamports: null,
    bound: null,
  },
  UNSAFE_TOKEN: { mint: null, reasons: [] },
  NO_ROUTE: { inputMint: null, outputMint: null },
  MARKET_CLOSED: MARKET,
  MARKET_PAUSED: MARKET,
  NO_LIQUIDITY: MARKET,
  INSUFFICIENT_POSITION: {
    ticker: null,
    side: null,
    requestedCount: null,
    availableCount: null,
    positionId: null,
    requestedRaw: null,
    availableRaw: null,
  },
  SLIPPAGE_EXCEEDED: LANDED,
  TRANSACTION_FAILED: LANDED,
  AUTHENTICATION_ERROR: { reason: null },
  POLICY_VIOLATION: {
    rule: null,
    limitUsd: null,
    usedUsd: null,
    reservedUsd: null,
    remainingUsd: null,
    requestedUsd: null,
    maxAllowedNowUsd: null,
    maxAmountNow: null,
    maxAmountNowRaw: null,
    resetsAt: null,
    inputUsd: null,
    leastOutputUsd: null,
    lossPercent: null,
    maxLossPercent: null,
  },
  NOT_FOUND: { resource: null },
  METHOD_NOT_ALLOWED: { allowed: [] },
  IDEMPOTENCY_IN_PROGRESS: {},
  PAYLOAD_TOO_LARGE: { maxBytes: null },
  UNSUPPORTED_MEDIA_TYPE: { supported: [] },
  IDEMPOTENCY_MISMATCH: {},
  RATE_LIMIT_EXCEEDED: { scope: null, limit: null, windowSeconds: null },
  INTERNAL_ERROR: {},
  UPSTREAM_ERROR: {},
  UNSAFE_TRANSACTION: {},
  SERVICE_UNAVAILABLE: { reason: null },
  UPSTREAM_TIMEOUT: {},
  TRANSACTION_EXPIRED: {},
  POLICY_LOOSENING_NEEDS_OWNER: { loosens: [] },
  OWNER_REQUIRED: {},
  ASSERTION_INVALID: {},
  APPROVAL_CLOSED: { state: null },
  OWNERS_NOT_CONFIGURED: {},
  CAPABILITY_UNAVAILABLE: { capability: null },
  APPROVAL_REJECTED: { approvalId: null, reason: null },
  APPROVAL_EXPIRED: { approvalId: null },
  POOL_NOT_SUPPORTED: { pool: null, reason: null },
  POOL_PAUSED: { pool: null },
  POOL_PRICE_DEVIATES: { pool: null, lossPercent: null, maxLossPercent: null },
  VERSION_MISMATCH: { version: null },
  INSUFFICIENT_SCOPE: { scope: null },
};
