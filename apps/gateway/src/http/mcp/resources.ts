import { AppError } from '@agent-wallet/kernel';
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { callRoute } from '../../api/call.js';
import type { RawInput } from '../../api/read-input.js';
import { PlainResponse } from '../../api/response.js';
import { assertScope } from '../../api/route.js';
import { ROUTES } from '../../api/routes.js';
import type { ApiServices } from '../../api/services.js';
import { writeJson } from '../../application/responses/exact-json.js';
import type { ToolCaller } from './call-tool.js';

/** A document of the wallet, read by a route. */
interface WalletResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: 'application/json' | 'text/markdown';
  /** Id of the route. */
  readonly route: string;
}

const json = (name: string, route: string, title: string, description: string): WalletResource => ({
  ...{ uri: `wallet://${name}`, name, title, description, mimeType: 'application/json', route },
});

const RESOURCES: readonly WalletResource[] = [
  json('policy', 'getPolicy', 'Policy in force', 'The limits that the owner set.'),
  json('usage', 'getPolicyUsage', 'Usage of the daily limit', 'Dollars used, reserved and left in 24 hours.'),
  json('balances', 'getBalances', 'Balances', 'Tokens with their value in US dollars.'),
  json('history', 'listTransactions', 'History', 'The latest operations, with their outcomes.'),
  json('approvals', 'listApprovals', 'Approvals', 'Requests that wait for the owner, and decided ones.'),
  {
    ...{ uri: 'wallet://skill', name: 'skill', title: 'Skill', route: 'getSkill', mimeType: 'text/markdown' },
    description: 'What the wallet can do, and how to use its REST API.',
  },
];

const TRANSACTION = /^wallet:\/\/transactions\/([^/?#]+)$/;

const TEMPLATES = [
  {
    uriTemplate: 'wallet://transactions/{transactionId}',
    name: 'transaction',
    title: 'Transaction',
    description: 'One operation with its outcome.',
    mimeType: 'application/json',
  },
];

/** URIs of what may change: the skill stays as it is. */
export const CHANGING_URIS: readonly string[] = RESOURCES.map(({ uri }) => uri).filter(
  (uri) => uri !== 'wallet://skill',
);

/** Lists the resources that a caller may read. */
export function listResources(by: ToolCaller): Resource[] {
  return RESOURCES.filter(({ route }) => isOpen(route, by)).map(({ route: _, ...listed }) => listed);
}

/** Lists the templates of resources that a caller may read. */
export function listResourceTemplates(by: ToolCaller) {
  return isOpen('getTransaction', by) ? TEMPLATES : [];
}

/** Reads a resource. @throws ProtocolError with the code and message of the refusal, ResourceNotFoundError */
export async function readResource(services: ApiServices, uri: string, by: ToolCaller): Promise<ReadResourceResult> {
  const [, transactionId] = TRANSACTION.exec(uri) ?? [];
  const resource = RESOURCES.find((each) => each.uri === uri);
  if (transactionId !== undefined) {
    const text = await read(services, 'getTransaction', { params: { transactionId } }, { by, uri });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  }
  if (!resource) throw new ResourceNotFoundError(uri);
  const text = await read(services, resource.route, {}, { by, uri });
  return { contents: [{ uri, mimeType: resource.mimeType, text }] };
}

/** Runs a route, and returns its data or its document as text. */
async function read(
  services: ApiServices,
  id: string,
  raw: RawInput,
  { by, uri }: { readonly by: ToolCaller; readonly uri: string },
): Promise<string> {
  try {
    assertOpen(id, by);
    const handled = await callRoute(ROUTES, id, { caller: by.caller, raw, facts: by.facts }, services);
    if (handled instanceof PlainResponse) return handled.body!.toString();
    if ('dataJson' in handled) return handled.dataJson;
    if ('data' in handled) return writeJson(handled.data);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'NOT_FOUND') throw new ResourceNotFoundError(uri);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri, code: error.code });
  }
  throw new Error(`the route ${id} has no text: it cannot be a resource`);
}

/** Refuses a token whose scopes do not cover a route; public documents are open to all. @throws AppError INSUFFICIENT_SCOPE */
export function assertOpen(id: string, { caller }: ToolCaller): void {
  const route = ROUTES.find((each) => each.id === id)!;
  if (route.auth !== 'none') assertScope(route, caller.token);
}

function isOpen(id: string, by: ToolCaller): boolean {
  try {
    assertOpen(id, by);
    return true;
  } catch {
    return false;
  }
}
