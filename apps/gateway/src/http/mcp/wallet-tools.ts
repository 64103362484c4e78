import { isTokenScope, type TokenScope } from '@agent-wallet/kernel';
import { scopeOf, type Route } from '../../api/route.js';
import { agentRoutes, ROUTES } from '../../api/routes.js';
import { type ModelTool, modelTool } from '../docs/model-tools.js';
import type { Json } from '../docs/named-schemas.js';
import { openApiDocument } from '../docs/open-api.js';
import { resultSchema } from './result-schema.js';
import { slim } from './slim-schema.js';

/** Hints of a tool's effects. All four are given: hosts take the worst for one that is missing. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as `tools/list` shows it. */
interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Json & { readonly type: 'object' };
  readonly outputSchema: Json & { readonly type: 'object' };
  readonly annotations: Annotations;
}

/**
 * A tool, and how a call of it is served: `call` sends its request, `prepare` evaluates a request that moves money and
 * keeps it for `execute`, which runs it.
 */
export type WalletTool = { readonly listed: ListedTool; readonly scopes: readonly TokenScope[] } & (
  | { readonly kind: 'call' | 'prepare'; readonly tool: ModelTool; readonly route: Route }
  | { readonly kind: 'execute' }
);

/** Minutes for which a prepared request can be executed. */
export const HANDLE_MINUTES = 15;

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const PREPARES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true } as const;
const ASKS = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const EXECUTES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true } as const;

/** Routes whose answers come from outside: prices and markets that others move. */
const OPEN_WORLD: ReadonlySet<Route['area']> = new Set(['Prediction markets', 'Liquidity']);

const PREPARED =
  'Nothing moves yet. Returns the cost, the decision of the policy, and a `handle`. ' +
  `To go on, call \`execute\` with the handle within ${HANDLE_MINUTES} minutes.`;

/** Returns the tools of the wallet, made from the contracts of its routes. */
export function createWalletTools(): readonly WalletTool[] {
  const routes = agentRoutes(ROUTES);
  const document = openApiDocument(routes, { publicUrl: 'http://localhost', network: 'mainnet-beta' });
  const tools = routes.filter(({ tool }) => tool).map((route) => toolOf(document, route));
  const money = tools.filter(({ kind }) => kind === 'prepare').flatMap(({ scopes }) => scopes);
  return [...tools, executeTool([...new Set(money)])];
}

function toolOf(document: Json, route: Route): WalletTool {
  const tool = modelTool(route);
  const scope = scopeOf(route);
  const scopes = isTokenScope(scope) ? [scope] : [];
  if (tool.movesMoney) return { kind: 'prepare', tool, route, scopes, listed: preparing(tool, route) };
  const isRead = tool.method === 'GET';
  const annotations = {
    ...(isRead ? READS : ASKS),
    ...(isRead && OPEN_WORLD.has(route.area) && { openWorldHint: true }),
  };
  const { name, description, parameters: inputSchema } = tool;
  const outputSchema = slim(resultSchema(document, tool)) as ListedTool['outputSchema'];
  const listed = {
    name,
    title: route.summary,
    description,
    inputSchema: { ...inputSchema },
    outputSchema,
    annotations,
  };
  return { kind: 'call', tool, route, scopes, listed };
}

/** Returns how the first step of a tool that moves money is listed. */
function preparing({ name, description, parameters }: ModelTool, { summary }: Route): ListedTool {
  const { dryRun: _, ...properties } = parameters.properties;
  return {
    name: `prepare_${name}`,
    title: `Prepare: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
    description: `${description} ${PREPARED}`,
    inputSchema: { ...parameters, properties },
    outputSchema: PREPARATION,
    annotations: PREPARES,
  };
}

/** Results of all first steps: what a preview has beyond these fields is the action's own. */
const PREPARATION = {
  type: 'object',
  properties: {
    handle: { type: ['string', 'null'] },
    expiresAt: { type: ['string', 'null'] },
    decision: {
      type: 'string',
      description: '`allowed`, `needs_approval`, `denied` or `unknown`.',
    },
    next: { type: 'string' },
    preview: {
      type: ['object', 'null'],
      description: 'Terms, network fee, decision of the policy, and changes of balances.',
    },
  },
} as const;

function executeTool(scopes: readonly TokenScope[]): WalletTool {
  return {
    kind: 'execute',
    scopes,
    listed: {
      name: 'execute',
      title: 'Execute a prepared request',
      description:
        'Executes a request that a `prepare_…` tool of this wallet returned a handle for. Money moves once for each ' +
        'handle: after a broken connection or a time-out, call it again with the same handle to learn the outcome. Never ' +
        'prepare again for that.',
      inputSchema: {
        type: 'object',
        properties: { handle: { type: 'string', description: '`handle` of the prepared request.' } },
        required: ['handle'],
        additionalProperties: false,
      },
      outputSchema: EXECUTED,
      annotations: EXECUTES,
    },
  };
}

const textOrNull = (description: string) => ({ type: ['string', 'null'], description });

const EXECUTED = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      description:
        '`confirmed`: done. `submitted`: the outcome is not known yet. `awaiting_approval`: the owner decides at `approvalUrl`.',
    },
    transactionId: { type: 'string', description: 'For `get_transaction`.' },
    signature: textOrNull('Signature on chain; null while none is known.'),
    explorerUrl: textOrNull('Page of the transaction.'),
    approvalId: { type: 'string', description: 'The approval that it waits for.' },
    approvalUrl: textOrNull('Page on which the owner decides. Only the owner can approve it.'),
    expiresAt: { type: 'string', format: 'date-time', description: 'Until when the approval can be given.' },
    next: { type: 'string', description: 'What to do next, where it is not over.' },
  },
  required: ['status', 'transactionId'],
} as const;
