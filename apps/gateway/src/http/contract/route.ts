import type { ErrorCode } from '@agent-wallet/kernel';
import type { z } from 'zod';
import type { HeaderName } from './headers.js';

/**
 * One route: the single source of its validation, of its place in the router, and of what openapi.json and skill.md
 * say of it. Schemas of requests are strict: a field that is not listed is refused.
 */
export interface RouteContract {
  /** Name in openapi.json. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With parameters in braces: `/wallets/me/history/{transactionId}`. */
  readonly path: string;
  /**
   * Who may ask. Of the owners' console: anyone (`console`), a session that a mail opened or a passkey (`owner_by_mail`), or
   * by a passkey alone (`owner`).
   */
  readonly auth: 'none' | 'bearer' | 'console' | 'owner_by_mail' | 'owner';
  /** Whether it needs a deployment with owners. Routes of the console do without saying so. */
  readonly needsOwners?: boolean;
  /** Whether a token whose session has ended reaches the handler, which then judges it. Others get a 401 before. */
  readonly judgesEndedSessions?: boolean;
  /** Heading in the documents. */
  readonly area: 'Authentication' | 'Wallet' | 'Prediction markets' | 'Policy' | 'Owners' | 'Service';
  readonly summary: string;
  /** What a caller should know beyond the summary; markdown. */
  readonly notes?: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the body may be left out. */
  readonly bodyOptional?: boolean;
  /** The status of a success; 200 when omitted. */
  readonly successStatus?: 202;
  /** `data` of a success; for routes without an envelope, the whole body. */
  readonly response: z.ZodType;
  /** `data` of a 202, where there is one beside a 200. */
  readonly accepted?: z.ZodType;
  /** Media type of an answer without the envelope. */
  readonly plain?: 'application/json' | 'text/html' | 'text/markdown' | 'text/plain';
  /** Whether it takes an Idempotency-Key. */
  readonly idempotent?: boolean;
  /** Headers of a 200 beyond those that every response of its kind has, by their names in openapi.json. */
  readonly headers?: readonly HeaderName[];
  /** Whether requests count against a rate limit; they do when omitted. */
  readonly isCounted?: boolean;
  /** Codes beyond those that every route can give. */
  readonly errors: readonly ErrorCode[];
  readonly example?: { readonly request?: string; readonly response: string; readonly dryRun?: string };
}

/** Keeps the exact type of a route while checking it. */
export function route<const R extends RouteContract>(contract: R): R {
  return contract;
}

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A route's validated input. */
export interface InputOf<R extends RouteContract> {
  readonly params: Output<R['params']>;
  readonly query: Output<R['query']>;
  readonly body: Output<R['body']>;
}

/** Every error code that a route can answer: its own, and those of what every request goes through. */
export function envelopeErrors(contract: RouteContract): ErrorCode[] {
  const codes: ErrorCode[] = ['VALIDATION_ERROR'];
  if (contract.idempotent) codes.push('INVALID_IDEMPOTENCY_KEY');
  if (contract.auth !== 'none') codes.push('AUTHENTICATION_ERROR');
  if (isOfOwners(contract) || contract.needsOwners) codes.push('OWNERS_NOT_CONFIGURED');
  if (contract.body) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (contract.idempotent) codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH');
  codes.push('RATE_LIMIT_EXCEEDED', ...contract.errors, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE');
  if (!contract.plain) codes.push('UPSTREAM_TIMEOUT');
  return [...new Set(codes)];
}

/** Whether a route is of the owners' console. */
export function isOfOwners({ auth }: RouteContract): boolean {
  return auth === 'console' || auth === 'owner_by_mail' || auth === 'owner';
}
