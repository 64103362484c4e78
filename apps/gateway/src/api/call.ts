import { capabilityUnavailable, notFound } from '@agent-wallet/kernel';
import type { OperationCommand } from '../application/operations/operation.js';
import { type RawInput, readInput } from './read-input.js';
import type { Handled } from './response.js';
import {
  type AgentCaller,
  type InputOf,
  type OwnerCaller,
  partOf,
  type RequestFacts,
  type Route,
  type RouteCall,
  type RouteContract,
} from './route.js';
import type { ApiServices } from './services.js';

/** A request to a route, of any transport. Its caller was admitted: that is the transport's to do. */
export interface ApiRequest {
  readonly caller: AgentCaller | OwnerCaller | undefined;
  readonly raw: RawInput;
  readonly facts: RequestFacts;
}

/**
 * Validates a request and runs its route.
 * @throws AppError CAPABILITY_UNAVAILABLE, VALIDATION_ERROR, and what the route throws
 */
export async function serveRoute(route: Route, request: ApiRequest, services: ApiServices): Promise<Handled> {
  const { caller, raw, facts } = request;
  const part = partOf(route);
  if (part && !services.parts.includes(part)) throw capabilityUnavailable(part);
  const name = `${route.method} ${route.path}`;
  const call = { route: name, input: readInput(route, raw), caller, facts } as RouteCall<RouteContract>;
  return route.handle(call, services);
}

/** Runs the route of an id. @throws AppError NOT_FOUND for an id that none has, and as `serveRoute` */
export async function callRoute(
  routes: readonly Route[],
  id: string,
  request: ApiRequest,
  services: ApiServices,
): Promise<Handled> {
  const route = routes.find((each) => each.id === id);
  if (!route) throw notFound('route', 'See /openapi.json.');
  return serveRoute(route, request, services);
}

/** A financial route: an agent's, with a flag for dry runs and a key. */
type FinancialContract = RouteContract & { readonly auth: 'bearer'; readonly idempotent: true };

/** Returns the command that a call of a financial route stands for. */
export function commandOf<R extends FinancialContract>({
  route,
  input,
  caller,
  facts,
}: RouteCall<R>): OperationCommand<NonNullable<InputOf<R>['body']>> {
  const { query, body } = input as { readonly query: { readonly dryRun?: boolean }; readonly body?: object };
  return {
    agentId: (caller as AgentCaller).agentId,
    tokenId: (caller as AgentCaller).token?.id,
    input: (body ?? {}) as NonNullable<InputOf<R>['body']>,
    route,
    key: facts.idempotencyKey,
    requestId: facts.requestId,
    elapsedMs: facts.elapsedMs,
    isDryRun: query.dryRun ?? false,
    prefersOriginal: prefersOriginal(facts.headers['prefer']),
  };
}

/** Reports whether a `Prefer` header (RFC 7240) asks for the first response of a repeated request. */
function prefersOriginal(header: string | readonly string[] | undefined): boolean {
  const preferences = [header ?? []].flat().join(',').split(',');
  return preferences.some((preference) => /^\s*return\s*=\s*"?original"?\s*(;.*)?$/i.test(preference));
}
