import { AppError, isUuid, newId } from '@agent-wallet/kernel';
import { type Logger, toAppError } from '@agent-wallet/platform';
import { callRoute } from '../../api/call.js';
import { type RawInput, readInput } from '../../api/read-input.js';
import { type AgentCaller, assertScope, type RequestFacts, type Route } from '../../api/route.js';
import { ROUTES } from '../../api/routes.js';
import type { ApiServices } from '../../api/services.js';
import { isoTime, writeJson } from '../../application/responses/exact-json.js';
import { failureResponse } from '../../application/responses/failure.js';
import type { ApiResponse } from '../../ports/idempotency-store.js';
import type { PreparedRequests, Principal } from '../../ports/prepared-requests.js';
import { isServerError, logServerError } from '../error-filter.js';
import { isWorse, type Quote, quoteOf } from './quote.js';
import { present, requestInput, type ToolArguments } from './tool-input.js';
import { HANDLE_MINUTES, type WalletTool } from './wallet-tools.js';

/** The caller of a tool, and the facts of its request. */
export interface ToolCaller {
  readonly caller: AgentCaller;
  readonly facts: RequestFacts;
}

/** Result of a tool: JSON text, and whether it is a failure that the model can act on. */
export interface ToolResult {
  readonly json: string;
  readonly isError: boolean;
}

/** Parts that tools work with. */
export interface ToolParts {
  readonly services: ApiServices;
  readonly prepared: PreparedRequests;
  /** Returns the tools, which are made when they are first needed. */
  readonly tools: () => readonly WalletTool[];
  readonly logger: Logger;
}

type Preparing = Extract<WalletTool, { readonly kind: 'prepare' | 'call' }>;

/** Calls a tool. Refusals and failures are results: only the caller's host sees JSON-RPC errors. */
export async function callTool(
  parts: ToolParts,
  tool: WalletTool,
  given: ToolArguments,
  by: ToolCaller,
): Promise<ToolResult> {
  try {
    return await resultOf(parts, tool, given, by);
  } catch (error) {
    const { requestId } = by.facts;
    const shown = toAppError(error);
    const response = failureResponse(shown, { requestId, nowMs: parts.services.clock.nowMs() });
    const { statusCode } = response;
    if (isServerError(statusCode))
      logServerError(parts.logger, { error: shown, statusCode, requestId, route: tool.listed.name });
    return ofResponse(response);
  }
}

function resultOf(parts: ToolParts, tool: WalletTool, given: ToolArguments, by: ToolCaller): Promise<ToolResult> {
  switch (tool.kind) {
    case 'call':
      return send(parts, tool.route, requestInput(tool.tool, given), by);
    case 'prepare':
      return prepare(parts, tool, given, by);
    case 'execute':
      return execute(parts, given, by);
  }
}

/** Sends a request to its route, like every transport. */
async function send(
  { services }: ToolParts,
  route: Route,
  raw: RawInput,
  { caller, facts }: ToolCaller,
): Promise<ToolResult> {
  assertScope(route, caller.token);
  const handled = await callRoute(ROUTES, route.id, { caller, raw, facts }, services);
  if ('dataJson' in handled) return ofResponse(handled);
  if ('data' in handled) return { json: writeJson(handled.data), isError: false };
  throw new Error(`the route ${route.id} has no data: it cannot be a tool`);
}

/** Evaluates a request that moves money, and keeps it under a handle. */
async function prepare(parts: ToolParts, tool: Preparing, given: ToolArguments, by: ToolCaller): Promise<ToolResult> {
  const { route } = tool;
  const raw = requestInput(tool.tool, given);
  assertScope(route, by.caller.token);
  const preview = route.query === undefined ? undefined : await send(parts, route, { ...raw, query: DRY_RUN }, by);
  if (preview?.isError) return preview;
  if (!preview) readInput(route, raw);
  const decision: Decision = preview ? decisionOf(preview.json) : 'unknown';
  const isDenied = decision === 'denied';
  const expiresAtMs = parts.services.clock.nowMs() + HANDLE_MINUTES * 60_000;
  const id = newId();
  if (!isDenied) {
    const quote = preview && isPriced(tool) ? quoteOf(preview.json) : undefined;
    const request = {
      ...{ id, tool: tool.listed.name, expiresAtMs },
      argumentsJson: JSON.stringify(present(given)),
      quoteJson: quote && JSON.stringify(quote),
    };
    await parts.prepared.keep(principalOf(by), request);
  }
  const head = {
    ...{ handle: isDenied ? null : id, expiresAt: isDenied ? null : isoTime(expiresAtMs), decision },
    next: decision === 'denied' ? denial(preview!.json) : DECIDED[decision],
  };
  return { json: `${writeJson(head).slice(0, -1)},"preview":${preview?.json ?? 'null'}}`, isError: false };
}

const DRY_RUN = { dryRun: 'true' };

type Decision = 'allowed' | 'needs_approval' | 'denied' | 'unknown';

/** Next steps after a decision that refuses nothing. */
const DECIDED = {
  allowed: 'Nothing has moved. Call execute with the handle to go on.',
  needs_approval: 'Nothing has moved. Call execute with the handle to ask the owner, who must approve it.',
  unknown: 'Nothing has moved. Call execute with the handle: the policy decides then.',
} as const satisfies Readonly<Record<Exclude<Decision, 'denied'>, string>>;

/** Says in a sentence why the policy denies a request, and what to do. */
function denial(json: string): string {
  const { policy } = JSON.parse(json) as {
    readonly policy: {
      readonly rule: string | null;
      readonly limitUsd: number | null;
      readonly maxAllowedNowUsd: number;
      readonly maxAmountNow: number | null;
    };
  };
  const { rule, limitUsd, maxAllowedNowUsd, maxAmountNow } = policy;
  const amount =
    maxAmountNow === null ? `${maxAllowedNowUsd} USD, fees included, passes` : `an amount of ${maxAmountNow} passes`;
  const most = limitUsd === null ? '' : ` At most ${amount} now.`;
  const source = rule === 'grant_limit' ? 'get_policy_usage' : 'get_policy';
  return `The policy denies it by the rule ${rule ?? 'of another release'}. Nothing moved.${most} Read ${source}, or ask the owner.`;
}

/** Returns the decision of a dry run in one word. */
function decisionOf(json: string): Exclude<Decision, 'unknown'> {
  const { policy } = JSON.parse(json) as {
    readonly policy: { readonly allowed: boolean; readonly approvalRequired: boolean };
  };
  if (policy.approvalRequired) return 'needs_approval';
  return policy.allowed ? 'allowed' : 'denied';
}

/**
 * Runs a prepared request. Its handle is its idempotency key: a repeat under any request id, at any replica, is the same
 * operation.
 */
async function execute(parts: ToolParts, { handle, ...more }: ToolArguments, by: ToolCaller): Promise<ToolResult> {
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw AppError.field(unknown, 'is not a field of this tool', 'unknown_field');
  if (handle === undefined) throw AppError.field('handle', 'is required', 'required');
  const id = isHandle(handle) ? handle.toLowerCase() : undefined;
  const idempotencyKey = `${KEY_PREFIX}${id}`;
  const executing = id === undefined ? undefined : await parts.prepared.execute(principalOf(by), id, idempotencyKey);
  if (executing === undefined) {
    throw AppError.field(
      'handle',
      'must be the handle of a request that you prepared. Prepare it first',
      'invalid_format',
    );
  }
  if (executing === 'expired') {
    throw AppError.field('handle', 'has expired, and nothing moved. Prepare the request again', 'invalid_format');
  }
  if (executing === 'outdated') {
    throw AppError.field(
      'handle',
      'was executed more than 23 hours ago, and is not repeated. Look in list_transactions: without a record, nothing moved',
      'invalid_format',
    );
  }
  const { request, hasBegun } = executing;
  const tool = parts.tools().find((each) => each.listed.name === request.tool);
  if (tool?.kind !== 'prepare') throw new Error(`a request of the tool ${request.tool} was prepared`);
  const facts = { ...by.facts, idempotencyKey, headers: PREFERS_ORIGINAL };
  const raw = requestInput(tool.tool, JSON.parse(request.argumentsJson) as ToolArguments);
  if (!hasBegun && request.quoteJson !== undefined) {
    const fresh = await send(parts, tool.route, { ...raw, query: DRY_RUN }, by);
    if (fresh.isError) return fresh;
    const now = quoteOf(fresh.json);
    if (now && isWorse(now, JSON.parse(request.quoteJson) as Quote)) throw priceMoved();
  }
  return withAdvice(await send(parts, tool.route, raw, { ...by, facts }).catch(sayHandle));
}

/** Says of a request that is running what the caller of a tool can do: it knows no key. */
function sayHandle(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'IDEMPOTENCY_IN_PROGRESS') throw error;
  throw new AppError('IDEMPOTENCY_IN_PROGRESS', {
    message: 'The request is still running. Call execute with the same handle.',
  });
}

function priceMoved(): AppError {
  const message = 'The price moved by more than the slippage since it was prepared. Nothing moved. Prepare it again.';
  return new AppError('SLIPPAGE_EXCEEDED', { message });
}

/** Reports whether the price of a tool's action may move between its preview and its execution. */
function isPriced({ route, tool }: Preparing): boolean {
  return route.area !== 'Wallet' || 'slippageBps' in tool.parameters.properties;
}

const KEY_PREFIX = 'mcp:';
/** A repeat shows what the first response showed. */
const PREFERS_ORIGINAL = { prefer: 'return=original' };

function isHandle(handle: unknown): handle is string {
  return typeof handle === 'string' && isUuid(handle);
}

const NEXT: Readonly<Record<string, string>> = {
  submitted:
    'The outcome is not known yet. Call execute with the same handle again, or get_transaction. Do not prepare it again.',
  awaiting_approval:
    'Only the owner can approve it, at approvalUrl. Ask the owner, then call execute with the same handle again.',
};

/** Adds to a result that is not final what to do next. */
function withAdvice(result: ToolResult): ToolResult {
  if (result.isError) return result;
  const { status } = JSON.parse(result.json) as { readonly status?: string };
  const next = NEXT[status ?? ''];
  return next === undefined
    ? result
    : { ...result, json: `${result.json.slice(0, -1)},"next":${JSON.stringify(next)}}` };
}

function principalOf({ caller }: ToolCaller): Principal {
  return { agentId: caller.agentId, tokenId: caller.token?.id };
}

/** Returns a response as a tool's result: of a failure with its message, which REST has beside the data. */
function ofResponse({ statusCode, message, dataJson }: ApiResponse): ToolResult {
  if (statusCode < 400) return { json: dataJson, isError: false };
  return { json: `{"message":${JSON.stringify(message)},${dataJson.slice(1)}`, isError: true };
}
