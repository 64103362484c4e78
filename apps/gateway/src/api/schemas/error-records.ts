import { PARTS, POOL_OBSTACLES, type PublicCode, TOKEN_SCOPES } from '@agent-wallet/kernel';
import { z } from 'zod';
import type { ErrorField } from '../../domain/error-fields.js';
import { composed, openUnion } from './composed.js';
import { maxAmountFields, policyRule } from './policy-records.js';
import {
  address,
  baseUnits,
  bps,
  bytes,
  contracts,
  count,
  decimals,
  dollarPrice,
  growing,
  httpStatus,
  lamports,
  percentNumber,
  priceCents,
  seconds,
  side,
  signature,
  time,
  transactionId,
  url,
  usd,
  uuid,
} from './units.js';

/** Records of failures: for the documents, for the responses, and for the tests that check every failure. */

const raw = (description: string) => baseUnits().nullable().meta({ description });
const dollars = (description: string) => usd().nullable().meta({ description });
const mint = (description: string) => address().nullable().meta({ description });
const sent = (description: string) => signature().nullable().meta({ description });
const named = (description: string) => z.string().nullable().meta({ description });
const some = (description: string) => contracts().nullable().meta({ description });

const problemRecord = z.enum([
  'required',
  'unknown_field',
  'wrong_type',
  'out_of_range',
  'too_many_decimals',
  'too_long',
  'invalid_format',
  'duplicate',
]);

/** One field that is wrong. */
const fieldProblemRecord = z
  .strictObject({
    field: z.string().meta({ description: 'The field by its name in the request; nested names are joined by dots.' }),
    reason: z.string().meta({ description: 'What is wrong. Read it after the name of the field.' }),
    problem: problemRecord,
    didYouMean: z
      .array(z.string())
      .max(3)
      .optional()
      .meta({ description: 'Fields that you may have meant, the likeliest first.' }),
  })
  .meta({ id: 'FieldProblem' });

/** A token that the caller may have meant. */
const tokenSuggestionRecord = z.strictObject({ symbol: z.string(), mint: address() }).meta({ id: 'TokenSuggestion' });

const sideOrNull = side.nullable();

const marketFields = {
  ticker: named('The market.'),
  side: sideOrNull,
  bestPriceCents: priceCents().nullable().meta({
    description: 'The price at which the next contract could trade now; null where whole cents do not reach it.',
  }),
  bestPriceDollars: dollarPrice().nullable().meta({ description: 'The same, exactly.' }),
  signature: sent('The transaction that reserved the money, if there was one.'),
  refundSignature: sent('The transaction that returned the money, once it is known.'),
};

const landedFields = {
  signature: sent('The transaction; null when nothing landed.'),
  explorerUrl: url().nullable(),
  networkFeeLamports: lamports()
    .nullable()
    .meta({ description: 'The network fee that was paid, in lamports; null when nothing landed.' }),
  slippageBps: bps().nullable().meta({ description: 'The tolerated slippage in basis points; null unless a trade.' }),
};

type FieldsOf<Code extends PublicCode> = Readonly<Record<ErrorField<Code>, z.ZodType>>;

/** Fields beyond those of every failure, by code. A field that an error does not have is null. */
const FIELDS = {
  VALIDATION_ERROR: {},
  INVALID_IDEMPOTENCY_KEY: {},
  UNKNOWN_TOKEN: {
    didYouMean: z.array(tokenSuggestionRecord).max(3).meta({ description: 'Tokens that you may have meant.' }),
  },
  INVALID_ADDRESS: {
    problem: z.enum(['not_an_address', 'mint', 'token_account', 'off_curve', 'fee_payer', 'screened']),
  },
  INSUFFICIENT_FUNDS: {
    asset: named('Symbol of the token that is missing.'),
    mint: mint('Its mint; null for the native coin.'),
    decimals: decimals().nullable(),
    availableRaw: raw('What the wallet holds, in base units.'),
    neededRaw: raw('What the operation takes, in base units.'),
    missingRaw: raw('The difference, in base units.'),
    missingLamports: lamports()
      .nullable()
      .meta({ description: 'The difference in lamports; null unless SOL is missing.' }),
    bound: named('The bound of the operator’s sponsorship that was reached, e.g. `sponsored_per_day`.'),
  },
  UNSAFE_TOKEN: {
    mint: address(),
    reasons: z.array(z.string()).meta({ description: 'What makes the token unsafe, e.g. `permanent_delegate`.' }),
  },
  NO_ROUTE: { inputMint: mint('Mint of the token to sell.'), outputMint: mint('Mint of the token to buy.') },
  MARKET_CLOSED: marketFields,
  MARKET_PAUSED: marketFields,
  NO_LIQUIDITY: marketFields,
  INSUFFICIENT_POSITION: {
    ticker: named('The market.'),
    side: sideOrNull,
    requestedCount: some('Contracts that were to be sold.'),
    availableCount: some('Contracts that can be sold now.'),
    positionId: named('The position in a pool; null of a market.'),
    requestedRaw: raw('Liquidity tokens that were to be removed, in base units; null of a market.'),
    availableRaw: raw('Liquidity tokens that the wallet holds, in base units; null of a market.'),
  },
  SLIPPAGE_EXCEEDED: landedFields,
  TRANSACTION_FAILED: landedFields,
  AUTHENTICATION_ERROR: {
    reason: z
      .enum([
        ...(['missing', 'malformed', 'invalid', 'expired', 'revoked', 'wrong_code'] as const),
        ...(['wrong_origin', 'passkey_required', 'login_too_old'] as const),
      ])
      .meta({ description: '`wrong_code` stands for a wrong, a used and an expired login code alike.' }),
  },
  POLICY_VIOLATION: {
    rule: policyRule('The rule that refuses.'),
    limitUsd: dollars('The limit that the rule compares with.'),
    usedUsd: dollars('Everything that counts against the daily limit now: settled and reserved.'),
    reservedUsd: dollars('The part of `usedUsd` whose outcome is open.'),
    remainingUsd: dollars('What is left of the daily limit.'),
    requestedUsd: dollars('The value of this request.'),
    maxAllowedNowUsd: dollars('The largest value that would pass now.'),
    ...maxAmountFields(),
    resetsAt: time().nullable().meta({ description: 'When the oldest counted value leaves the window.' }),
    inputUsd: dollars('What an unfair trade takes, at market prices.'),
    leastOutputUsd: dollars('What it brings at least; null without a price.'),
    lossPercent: percentNumber().nullable().meta({ description: 'What it loses.' }),
    maxLossPercent: percentNumber().nullable().meta({ description: 'The most that it may lose.' }),
  },
  NOT_FOUND: { resource: z.string().meta({ description: 'What was not found, e.g. `transaction`.' }) },
  METHOD_NOT_ALLOWED: { allowed: z.array(z.string()).meta({ description: 'Methods of this route.' }) },
  IDEMPOTENCY_IN_PROGRESS: {},
  PAYLOAD_TOO_LARGE: { maxBytes: bytes() },
  UNSUPPORTED_MEDIA_TYPE: { supported: z.array(z.string()) },
  IDEMPOTENCY_MISMATCH: {},
  RATE_LIMIT_EXCEEDED: {
    scope: z
      .enum(['client', 'agent', 'owner', 'email', 'otp', 'upstream'])
      .meta({ description: 'What is counted. `upstream` is a limit that all agents share.' }),
    limit: count().nullable().meta({ description: 'How much passes in one window; null for `upstream`.' }),
    windowSeconds: seconds().nullable().meta({ description: 'Length of the window; null for `upstream`.' }),
  },
  INTERNAL_ERROR: {},
  UPSTREAM_ERROR: {},
  UNSAFE_TRANSACTION: {},
  SERVICE_UNAVAILABLE: {
    reason: z.enum(['recovering', 'treasury_daily_limit', 'database', 'shutting_down']).nullable(),
  },
  UPSTREAM_TIMEOUT: {},
  TRANSACTION_EXPIRED: {},
  POLICY_LOOSENING_NEEDS_OWNER: {
    loosens: z
      .array(z.strictObject({ field: z.string(), before: z.string(), after: z.string() }).meta({ id: 'Loosening' }))
      .meta({ description: 'Every field that the change loosens; values as JSON texts.' }),
  },
  OWNER_REQUIRED: {},
  ASSERTION_INVALID: {},
  APPROVAL_CLOSED: { state: z.string().meta({ description: 'What became of the approval, e.g. `rejected`.' }) },
  OWNERS_NOT_CONFIGURED: {},
  CAPABILITY_UNAVAILABLE: {
    capability: z.enum(PARTS).nullable().meta({ description: 'The part that this deployment lacks.' }),
  },
  APPROVAL_REJECTED: {
    approvalId: uuid().nullable(),
    reason: z.enum(['rejected', 'withdrawn', 'void']).nullable().meta({
      description:
        '`void`: policy refused it after the approval, the signer is no longer an owner, or all sessions of the agent have ended.',
    }),
  },
  POOL_NOT_SUPPORTED: { pool: address(), reason: z.enum(POOL_OBSTACLES) },
  POOL_PAUSED: { pool: address() },
  POOL_PRICE_DEVIATES: {
    pool: address(),
    lossPercent: percentNumber('Loss from the most that is taken to the fair value of the share.'),
    maxLossPercent: percentNumber('The most that it may lose: the slippage and 1 %.'),
  },
  APPROVAL_EXPIRED: { approvalId: uuid().nullable() },
  VERSION_MISMATCH: { version: count('The version in force.') },
  INSUFFICIENT_SCOPE: {
    scope: z.enum(TOKEN_SCOPES).nullable().meta({ description: 'What the token lacks; null where it takes a login.' }),
  },
} as const satisfies { readonly [Code in PublicCode]: FieldsOf<Code> };

/** The codes of the public API, in the order of the catalogue. */
export const PUBLIC_CODES = Object.keys(FIELDS) as PublicCode[];

/** Returns the values of the fields of a code that have a list of them, by field. */
export function valuesOfFields(code: PublicCode): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries<z.ZodType>(FIELDS[code]).flatMap(([name, schema]) => {
      const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
      // Rules are listed once, below the table; sides are the market's.
      if (!(inner instanceof z.ZodEnum) || name === 'rule' || name === 'side') return [];
      return [[name, inner.options.map(String)]];
    }),
  );
}

const retryRecord = z.enum(['same_key', 'new_key', 'never']).meta({
  id: 'Retry',
  description:
    'The next attempt. `same_key`: the same request with the same Idempotency-Key. `new_key`: the same request with a ' +
    'new key. `never`: only a corrected request, with a new key.',
});

/** `code` of a failure. */
const errorCodeRecord = growing('ErrorCode', PUBLIC_CODES as [PublicCode, ...PublicCode[]], 'What went wrong.')();

const errorBase = z
  .strictObject({
    requestId: z
      .string()
      .meta({ description: 'The request that first got this failure. `X-Request-Id` names the one that gets it now.' }),
    retryable: z.boolean().meta({ description: 'Whether the same request may succeed without a change.' }),
    retry: retryRecord,
    retryAt: time().nullable().meta({ description: 'When to try again; agrees with `Retry-After`.' }),
    suggestion: z.string().meta({ description: 'The next step. Where `message` ends with it, the same words.' }),
    details: z.array(fieldProblemRecord).optional().meta({ description: 'The fields that are wrong, at most 20.' }),
    transactionId: transactionId('Present in the final response of that operation.').optional(),
  })
  .meta({ id: 'ErrorBase', description: 'What every failure has beside its `code`.' });

const otherErrorRecord = composed('OtherError', [errorBase], { code: errorCodeRecord });

/** Codes that have the same fields share a record. */
const RECORDS = {
  ValidationError: ['VALIDATION_ERROR', 'INVALID_IDEMPOTENCY_KEY'],
  UnknownTokenError: ['UNKNOWN_TOKEN'],
  InvalidAddressError: ['INVALID_ADDRESS'],
  InsufficientFundsError: ['INSUFFICIENT_FUNDS'],
  UnsafeTokenError: ['UNSAFE_TOKEN'],
  NoRouteError: ['NO_ROUTE'],
  MarketError: ['MARKET_CLOSED', 'MARKET_PAUSED', 'NO_LIQUIDITY'],
  InsufficientPositionError: ['INSUFFICIENT_POSITION'],
  PoolNotSupportedError: ['POOL_NOT_SUPPORTED'],
  PoolPausedError: ['POOL_PAUSED'],
  PoolPriceError: ['POOL_PRICE_DEVIATES'],
  LandedError: ['SLIPPAGE_EXCEEDED', 'TRANSACTION_FAILED'],
  AuthenticationError: ['AUTHENTICATION_ERROR'],
  PolicyViolationError: ['POLICY_VIOLATION'],
  PolicyLooseningError: ['POLICY_LOOSENING_NEEDS_OWNER'],
  OwnerRequiredError: ['OWNER_REQUIRED'],
  AssertionError: ['ASSERTION_INVALID'],
  ApprovalClosedError: ['APPROVAL_CLOSED'],
  ApprovalRejectedError: ['APPROVAL_REJECTED'],
  ApprovalExpiredError: ['APPROVAL_EXPIRED'],
  VersionMismatchError: ['VERSION_MISMATCH'],
  InsufficientScopeError: ['INSUFFICIENT_SCOPE'],
  NotFoundError: ['NOT_FOUND'],
  MethodNotAllowedError: ['METHOD_NOT_ALLOWED'],
  IdempotencyError: ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH'],
  PayloadTooLargeError: ['PAYLOAD_TOO_LARGE'],
  UnsupportedMediaTypeError: ['UNSUPPORTED_MEDIA_TYPE'],
  RateLimitError: ['RATE_LIMIT_EXCEEDED'],
  ServiceUnavailableError: ['SERVICE_UNAVAILABLE'],
  CapabilityUnavailableError: ['CAPABILITY_UNAVAILABLE'],
  ServerError: [
    ...(['INTERNAL_ERROR', 'UPSTREAM_ERROR', 'UNSAFE_TRANSACTION', 'UPSTREAM_TIMEOUT', 'TRANSACTION_EXPIRED'] as const),
    'OWNERS_NOT_CONFIGURED',
  ],
} as const satisfies Readonly<Record<string, readonly PublicCode[]>>;

function recordOf(id: string, codes: readonly PublicCode[]) {
  return composed(id, [errorBase], { ...FIELDS[codes[0]!], code: z.enum(codes) });
}

type DataRecord = ReturnType<typeof recordOf>;

const records = Object.entries(RECORDS).map(([id, codes]) => recordOf(id, codes)) as [DataRecord, ...DataRecord[]];

/** `data` of a failure, by its code. */
export const errorDataRecord = openUnion(
  z.discriminatedUnion('code', records).meta({ id: 'ErrorData', description: 'More codes may follow: `OtherError`.' }),
  otherErrorRecord,
);

/** The envelope of a failure. */
export const failureRecord = z
  .strictObject({
    status: z.literal(false),
    statusCode: httpStatus().min(400).max(599),
    message: z.string().min(1),
    data: errorDataRecord,
  })
  .meta({ id: 'Failure' });
