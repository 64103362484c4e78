/**
 * Every error that leaves a service: its gRPC status, the HTTP status the gateway makes of it, whether a service may
 * send the same call again, and the default message. Append only: clients depend on codes.
 */
const CATALOGUE = {
  VALIDATION_ERROR: { grpc: 3, http: 400, retryable: false, message: 'The request is not valid.' },
  INVALID_IDEMPOTENCY_KEY: {
    grpc: 3,
    http: 400,
    retryable: false,
    message: 'Idempotency-Key is not valid. Use 1–128 printable characters.',
  },
  UNKNOWN_TOKEN: {
    grpc: 3,
    http: 400,
    retryable: false,
    message: 'The token is unknown. Use a symbol or a mint address.',
  },
  INVALID_ADDRESS: {
    grpc: 3,
    http: 400,
    retryable: false,
    message: 'The address is not that of a wallet. Use the address of a wallet.',
  },
  INSUFFICIENT_FUNDS: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'The wallet does not hold enough. Send less, or fund it.',
  },
  UNSAFE_TOKEN: { grpc: 9, http: 400, retryable: false, message: 'The token cannot be moved safely.' },
  NO_ROUTE: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'There is no route between these tokens for this amount now. Try later, or another amount.',
  },
  MARKET_CLOSED: { grpc: 9, http: 400, retryable: false, message: 'The market is closed. Choose another market.' },
  MARKET_PAUSED: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'The exchange has paused this market. Try again later.',
  },
  NO_LIQUIDITY: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'There is no order at that price now. Try again later, or choose another price.',
  },
  INSUFFICIENT_POSITION: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'Insufficient position. Sell or remove less.',
  },
  SLIPPAGE_EXCEEDED: {
    grpc: 10,
    http: 400,
    retryable: false,
    message: 'The price moved beyond the tolerated slippage. No funds moved. Try again.',
  },
  TRANSACTION_FAILED: {
    grpc: 10,
    http: 400,
    retryable: false,
    message: 'The transaction landed with an error. No funds moved; the network fee was paid.',
  },
  AUTHENTICATION_ERROR: { grpc: 16, http: 401, retryable: false, message: 'A valid bearer token is required. Log in.' },
  POLICY_VIOLATION: { grpc: 7, http: 403, retryable: false, message: 'The policy of this agent does not allow this.' },
  NOT_FOUND: { grpc: 5, http: 404, retryable: false, message: 'Not found. Check the path and its ids.' },
  METHOD_NOT_ALLOWED: {
    grpc: 12,
    http: 405,
    retryable: false,
    message: 'The method is not supported here. Use one that `Allow` names.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    grpc: 10,
    http: 409,
    retryable: true,
    message: 'A request with this Idempotency-Key is still running. Repeat it with the same key.',
  },
  PAYLOAD_TOO_LARGE: { grpc: 3, http: 413, retryable: false, message: 'The body is too large. Send less.' },
  UNSUPPORTED_MEDIA_TYPE: {
    grpc: 3,
    http: 415,
    retryable: false,
    message: 'The body is not application/json. Send JSON.',
  },
  IDEMPOTENCY_MISMATCH: {
    grpc: 9,
    http: 422,
    retryable: false,
    message: 'This Idempotency-Key was used for another request. Use a new one.',
  },
  RATE_LIMIT_EXCEEDED: {
    grpc: 8,
    http: 429,
    retryable: true,
    message: 'There were too many requests. Wait before the next one.',
  },
  INTERNAL_ERROR: { grpc: 13, http: 500, retryable: true, message: 'An internal error occurred. Try again later.' },
  UPSTREAM_ERROR: {
    grpc: 14,
    http: 502,
    retryable: true,
    message: 'A service that this one depends on failed. Try again later.',
  },
  UNSAFE_TRANSACTION: {
    grpc: 14,
    http: 502,
    retryable: true,
    message: 'The aggregator offered a transaction that does more than was requested. Nothing was signed.',
  },
  SERVICE_UNAVAILABLE: {
    grpc: 14,
    http: 503,
    retryable: true,
    message: 'The service is unavailable now. Try again later.',
  },
  UPSTREAM_TIMEOUT: {
    grpc: 4,
    http: 504,
    retryable: true,
    message: 'A service that this one depends on did not answer in time. Try again later.',
  },
  TRANSACTION_EXPIRED: {
    grpc: 10,
    http: 504,
    retryable: true,
    message: 'The transaction did not land in time and never will. No funds moved. Try again with a new key.',
  },
  POLICY_LOOSENING_NEEDS_OWNER: {
    grpc: 7,
    http: 403,
    retryable: false,
    message: 'The change loosens the policy. Only the owner can approve it.',
  },
  OWNER_REQUIRED: {
    grpc: 7,
    http: 403,
    retryable: false,
    message: 'The owner has disabled login by e-mail for this agent.',
  },
  ASSERTION_INVALID: {
    grpc: 16,
    http: 401,
    retryable: false,
    message: 'Invalid passkey assertion. Request a new challenge and sign again.',
  },
  APPROVAL_CLOSED: {
    grpc: 9,
    http: 409,
    retryable: false,
    message: 'The approval is decided or expired. Ask for a new one.',
  },
  OWNERS_NOT_CONFIGURED: {
    grpc: 12,
    http: 501,
    retryable: false,
    message: 'This deployment has no owners. Its operator can set OWNER_ORIGIN.',
  },
  APPROVAL_REJECTED: {
    grpc: 7,
    http: 403,
    retryable: false,
    message: 'The operation was not approved. No funds moved.',
  },
  APPROVAL_EXPIRED: {
    grpc: 7,
    http: 403,
    retryable: false,
    message: 'The operation was not approved in time. No funds moved.',
  },
  POOL_NOT_SUPPORTED: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'Liquidity cannot be added to this pool here. Choose one of GET /liquidity/pools.',
  },
  POOL_PAUSED: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'The pool is paused by its program. Try again later.',
  },
  POOL_PRICE_DEVIATES: {
    grpc: 9,
    http: 400,
    retryable: false,
    message: 'The pool price deviates from market prices, so adding to it would lose value. Try again later.',
  },
  VERSION_MISMATCH: {
    grpc: 9,
    http: 412,
    retryable: false,
    message: 'The resource changed since you read it. Read it again and retry.',
  },
  INSUFFICIENT_SCOPE: {
    grpc: 7,
    http: 403,
    retryable: false,
    message: 'The token does not allow this.',
  },
  // Between services only; the gateway answers INTERNAL_ERROR for them.
  CALLER_NOT_ALLOWED: { grpc: 7, http: 500, retryable: false, message: 'This caller may not call this method.' },
  SIGNING_REFUSED: { grpc: 7, http: 500, retryable: false, message: 'The signer refused the message.' },
  PERMIT_CONFLICT: {
    grpc: 9,
    http: 500,
    retryable: false,
    message: 'Another message or intent was permitted for this attempt.',
  },
  APPROVAL_REQUIRED: { grpc: 9, http: 500, retryable: false, message: 'The owner must approve the operation first.' },
  CAPABILITY_UNAVAILABLE: {
    grpc: 12,
    http: 501,
    retryable: false,
    message: 'This deployment does not offer that. GET /capabilities lists what it offers.',
  },
} as const satisfies Record<string, ErrorEntry>;

interface ErrorEntry {
  readonly grpc: number;
  readonly http: number;
  readonly retryable: boolean;
  readonly message: string;
}

/** A code of the catalogue. */
export type ErrorCode = keyof typeof CATALOGUE;

/** A code that services use among themselves: to the public each of them is INTERNAL_ERROR. */
export type InternalCode = 'CALLER_NOT_ALLOWED' | 'SIGNING_REFUSED' | 'PERMIT_CONFLICT' | 'APPROVAL_REQUIRED';

/** A code of the public API. */
export type PublicCode = Exclude<ErrorCode, InternalCode>;

const INTERNAL_CODES: ReadonlySet<ErrorCode> = new Set<InternalCode>([
  'CALLER_NOT_ALLOWED',
  'SIGNING_REFUSED',
  'PERMIT_CONFLICT',
  'APPROVAL_REQUIRED',
]);

/** Reports whether a code belongs to the public API. */
export function isPublicCode(code: ErrorCode): code is PublicCode {
  return !INTERNAL_CODES.has(code);
}

/** Returns the catalogue's entry of a code. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return CATALOGUE[code];
}

/** Reports whether a text is a code of the catalogue. */
export function isErrorCode(putative: string): putative is ErrorCode {
  return Object.hasOwn(CATALOGUE, putative);
}
