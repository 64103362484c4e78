import { AppError, isTokenScope, TOKEN_SCOPES, type TokenScope } from '@agent-wallet/kernel';

/** The most tokens of an agent that are live at a time. */
export const MAX_LIVE_TOKENS = 50;
const MAX_RECIPIENTS = 100;
const MAX_NAME_LENGTH = 64;
const MAX_LIFE_MS = 366 * 86_400_000;
/** The largest amount that the schema holds. */
const MAX_USD_MICROS = 2n ** 63n - 1n;

/** Limits of a scoped token, within the policy. Amounts are micro-dollars; undefined: the policy's limit alone. */
export interface TokenGrant {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Base58 addresses that payments may go to; undefined: all that the policy allows. */
  readonly recipients?: readonly string[] | undefined;
  readonly maxSingleUsdMicros?: bigint | undefined;
  /** In a rolling 24 hours. */
  readonly dailyUsdMicros?: bigint | undefined;
  /** As long as the token lives. */
  readonly totalUsdMicros?: bigint | undefined;
  readonly expiresAtMs: number;
}

/** A scoped token, and what counts to its limits now. */
export interface Token extends TokenGrant {
  readonly id: string;
  readonly createdAtMs: number;
  /** Settled in the last 24 hours, and open. */
  readonly usedTodayUsdMicros: bigint;
  /** Settled at any time, and open. */
  readonly usedUsdMicros: bigint;
}

/** A grant as a caller sends it: its scopes are any names. */
export type SentGrant = Omit<TokenGrant, 'scopes'> & { readonly scopes: readonly string[] };

/**
 * Checks what a token is to allow.
 * @throws AppError VALIDATION_ERROR
 */
export function checkedGrant(sent: SentGrant, nowMs: number, isAddress: (text: string) => boolean): TokenGrant {
  const { name, scopes, recipients, expiresAtMs } = sent;
  if (name.trim() === '' || name.length > MAX_NAME_LENGTH) {
    throw AppError.field('name', `must have 1 to ${MAX_NAME_LENGTH} characters`, 'out_of_range');
  }
  const known = scopes.filter(isTokenScope);
  if (known.length === 0 || known.length < scopes.length || new Set(known).size < known.length) {
    throw AppError.field('scopes', `must have at least one of ${TOKEN_SCOPES.join(', ')}, each once`, 'invalid_format');
  }
  if (recipients && (recipients.length === 0 || recipients.length > MAX_RECIPIENTS)) {
    throw AppError.field('recipients', `must have 1 to ${MAX_RECIPIENTS} addresses, or be omitted`, 'out_of_range');
  }
  if (recipients && (new Set(recipients).size < recipients.length || !recipients.every(isAddress))) {
    throw AppError.field('recipients', 'must be base58 addresses of 32 bytes, each once', 'invalid_format');
  }
  for (const field of ['maxSingleUsdMicros', 'dailyUsdMicros', 'totalUsdMicros'] as const) {
    if ((sent[field] ?? 0n) > MAX_USD_MICROS)
      throw AppError.field(field, `must be at most ${MAX_USD_MICROS}`, 'out_of_range');
  }
  if (!(expiresAtMs > nowMs && expiresAtMs <= nowMs + MAX_LIFE_MS)) {
    throw AppError.field('expiresAt', 'must be later than now, and within a year', 'out_of_range');
  }
  return { ...sent, scopes: known };
}

/** Returns the refusal of one more live token. */
export function tooManyTokens(): AppError {
  return new AppError('POLICY_VIOLATION', {
    message: `The agent has ${MAX_LIVE_TOKENS} live tokens, the most at a time.`,
    data: { rule: 'too_many_tokens', suggestion: 'End one that is not used any more.' },
  });
}
