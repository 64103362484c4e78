import { type ErrorCode, insufficientScope, type Part, type TokenScope } from '@agent-wallet/kernel';
import type { z } from 'zod';
import type { OwnerSession } from '../domain/owner-session.js';
import type { ScopedToken } from '../domain/session.js';
import type { ClaimedSession } from '../ports/rate-limiter.js';
import type { Handled } from './response.js';
import type { ApiServices } from './services.js';
import type { HeaderName } from './schemas/headers.js';

/**
 * One route: the single source of its validation, of its place in the router, and of what openapi.json and skill.md
 * say of it. Schemas of requests are strict: a field that is not listed is refused.
 */
export interface RouteContract {
  /** Name in openapi.json. */
  readonly id: string;
  /**
   * Whether language models get it as a tool. Left out for what a model has no use for, such as sessions, and its own limits
   * beyond a proposal to the owner.
   */
  readonly tool?: true;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With parameters in braces: `/wallets/me/history/{transactionId}`. */
  readonly path: string;
  /**
   * The caller that the route admits. In the owners' console: anyone (`console`); a session opened by mail or passkey
   * (`owner_by_mail`), for what looks and what is safe; or by a passkey alone (`owner`).
   */
  readonly auth: 'none' | 'bearer' | 'console' | 'owner_by_mail' | 'owner';
  /** Whether it needs a deployment with owners. Routes of the console do without saying so. */
  readonly needsOwners?: boolean;
  /** Whether the token of a login whose session has ended reaches the handler, which then judges it. Others get a 401 before. */
  readonly judgesEndedSessions?: boolean;
  /**
   * Scope that a scoped token needs for it, of routes of agents. `session`: only the token of a login will do; `any`: every
   * token. When omitted `read` for GET, and `session` for all else.
   */
  readonly scope?: TokenScope | 'session' | 'any';
  /** Part of a deployment that it belongs to, where its area does not say so. Without it 501. */
  readonly part?: Part;
  /** Heading in the documents. */
  readonly area: 'Authentication' | 'Wallet' | 'Liquidity' | 'Prediction markets' | 'Policy' | 'Owners' | 'Service';
  readonly summary: string;
  /** Markdown beyond the summary. */
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
  readonly plain?:
    | 'application/json'
    | 'text/html'
    | 'text/javascript'
    | 'text/markdown'
    | 'text/plain'
    | 'text/event-stream';
  /** Media type of an answer that `format` chooses in place of the envelope. */
  readonly download?: 'text/csv';
  /** Whether it takes an Idempotency-Key. */
  readonly idempotent?: boolean;
  /** Whether it takes `If-Match`, the version that a change is of. */
  readonly conditional?: boolean;
  /** Headers of a 200 beyond those that every response of its kind has, by their names in openapi.json. */
  readonly headers?: readonly HeaderName[];
  /** Whether requests count against a rate limit; they do when omitted. */
  readonly isCounted?: boolean;
  /** Codes beyond those that every route can give. */
  readonly errors: readonly ErrorCode[];
  readonly example?: { readonly request?: unknown; readonly response: unknown; readonly dryRun?: unknown };
}

/** The caller of a route: an agent by its token, an owner by its session, or undefined where neither is needed. */
type CallerOf<R extends RouteContract> = R['auth'] extends 'bearer'
  ? AgentCaller
  : R['auth'] extends 'owner' | 'owner_by_mail'
    ? OwnerCaller
    : undefined;

/** The session that a request's token stands for. */
export interface AgentCaller extends ClaimedSession {
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
  /** Time of the mailed code that the session goes back to, in Unix milliseconds. */
  readonly authenticatedAtMs: number;
  /** The scoped token that it is; undefined for the token of a login. */
  readonly token?: ScopedToken | undefined;
  /** The app that the token was given to; undefined for tokens of the whole API. */
  readonly clientId?: string | undefined;
  /** Whether the session is still valid; false only where the contract says `judgesEndedSessions`. */
  readonly isLive: boolean;
}

/** The owner whose session a request's cookie stands for. */
export interface OwnerCaller extends OwnerSession {
  readonly token: string;
}

/** Facts of a request beside its input and its caller. */
export interface RequestFacts {
  readonly requestId: string;
  /** The network of the client. */
  readonly client: string;
  /** Time that the request has taken already. */
  readonly elapsedMs: number;
  readonly idempotencyKey?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The token of an owner's session, where the request carries one. */
  readonly ownerToken?: string | undefined;
  /** Ids of the connections that the browser of an owner's request began. */
  readonly begunConnections?: readonly string[];
}

/** A request that was admitted and validated. */
export interface RouteCall<R extends RouteContract> {
  /** Method and path: an idempotency key belongs to one route. */
  readonly route: string;
  readonly input: InputOf<R>;
  readonly caller: CallerOf<R>;
  readonly facts: RequestFacts;
}

/** A route: its contract and the handler that serves it over any transport. */
export interface Route extends RouteContract {
  handle(call: RouteCall<RouteContract>, services: ApiServices): Handled | Promise<Handled>;
}

/** The example of a route, in the types of its schemas. */
type ExampleOf<R extends RouteContract> = {
  readonly example?: { readonly request?: Input<R['body']>; readonly response: Input<R['response']> };
};

type Input<S> = S extends z.ZodType ? Constant<z.input<S>> : undefined;

/** A value that nothing changes. */
type Constant<T> = T extends object ? { readonly [Name in keyof T]: Constant<T[Name]> } : T;

/** Defines a route by its contract and its handler. */
export function defineRoute<const R extends RouteContract>(
  contract: R & ExampleOf<R>,
  handle: (call: RouteCall<R>, services: ApiServices) => Handled | Promise<Handled>,
): R & Route {
  return { ...contract, handle: handle };
}

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A route's validated input. */
export interface InputOf<R extends RouteContract> {
  readonly params: Output<R['params']>;
  readonly query: Output<R['query']>;
  readonly body: Output<R['body']>;
}

/** Returns the scope that a route needs, see `RouteContract`. */
export function scopeOf({ scope, method }: Pick<RouteContract, 'scope' | 'method'>): TokenScope | 'session' | 'any' {
  return scope ?? (method === 'GET' ? 'read' : 'session');
}

/** Refuses a scoped token whose scopes do not cover a route. @throws AppError INSUFFICIENT_SCOPE */
export function assertScope(contract: Pick<RouteContract, 'scope' | 'method'>, token: ScopedToken | undefined): void {
  const scope = scopeOf(contract);
  if (!token || scope === 'any') return;
  if (scope === 'session') throw insufficientScope();
  if (!token.scopes.includes(scope)) throw insufficientScope(scope);
}

/** Returns every error code of a route: its own, and those of what every request goes through. */
export function envelopeErrors(contract: RouteContract): ErrorCode[] {
  const codes: ErrorCode[] = ['VALIDATION_ERROR'];
  if (contract.idempotent) codes.push('INVALID_IDEMPOTENCY_KEY');
  if (contract.auth !== 'none') codes.push('AUTHENTICATION_ERROR');
  if (contract.auth === 'bearer' && scopeOf(contract) !== 'any') codes.push('INSUFFICIENT_SCOPE');
  if (isOfOwners(contract) || contract.needsOwners) codes.push('OWNERS_NOT_CONFIGURED');
  if (partOf(contract)) codes.push('CAPABILITY_UNAVAILABLE');
  if (contract.body) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (contract.idempotent) codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH');
  codes.push('RATE_LIMIT_EXCEEDED', ...contract.errors, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE');
  if (!contract.plain) codes.push('UPSTREAM_TIMEOUT');
  return [...new Set(codes)];
}

const PART_OF_AREA: Readonly<Partial<Record<RouteContract['area'], Part>>> = {
  Liquidity: 'liquidity',
  'Prediction markets': 'predictions',
};

/** Returns the part of a deployment that a route belongs to; undefined where every deployment has it. */
export function partOf({ part, area }: Pick<RouteContract, 'part' | 'area'>): Part | undefined {
  return part ?? PART_OF_AREA[area];
}

/** Reports whether a deployment with these parts serves a route. */
export function isServed(route: Pick<RouteContract, 'part' | 'area'>, parts: readonly Part[]): boolean {
  const part = partOf(route);
  return part === undefined || parts.includes(part);
}

/** Returns whether a route answers with a stream that goes on. */
export function isStream({ plain }: RouteContract): boolean {
  return plain === 'text/event-stream';
}

/** Returns whether a route belongs to the owners' console. */
export function isOfOwners({ auth }: RouteContract): boolean {
  return auth === 'console' || auth === 'owner_by_mail' || auth === 'owner';
}
