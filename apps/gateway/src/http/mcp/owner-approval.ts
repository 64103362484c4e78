import { sleep } from '@agent-wallet/kernel';
import {
  type ClientCapabilities,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ToolResult } from './call-tool.js';

/** Pauses between looks at a decision: together less than hosts wait for a tool. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];

/** The request for the owner's page, by the name under which the host answers it. */
const APPROVAL = 'approval';

type McpRequest = Pick<ServerContext['mcpReq'], 'envelope' | 'inputResponses' | 'signal'>;

/**
 * Runs a call that may wait for the owner. A host that can open pages is asked to show the owner's; once it says that the
 * page is open, the call waits a while for the decision. The host decides nothing: a repeat of the call reads from
 * policy what the owner said.
 */
export async function withOwner(
  call: () => Promise<ToolResult>,
  { envelope, inputResponses, signal }: McpRequest,
): Promise<ToolResult | InputRequiredResult> {
  let result = await call();
  const url = approvalUrlOf(result);
  if (url === undefined || !opensPages(envelope)) return result;
  if (inputResponses === undefined) {
    return inputRequired({ inputRequests: { [APPROVAL]: inputRequired.elicitUrl({ url, message: MESSAGE }) } });
  }
  const answer = inputResponses[APPROVAL] as { readonly action?: unknown } | undefined;
  if (answer?.action !== 'accept') return result;
  for (const pauseMs of PAUSES_MS) {
    if (signal.aborted || approvalUrlOf(result) === undefined) break;
    await sleep(pauseMs);
    result = await call();
  }
  return result;
}

/** Reports whether a host says that it can open a page for its person. */
function opensPages(envelope: McpRequest['envelope']): boolean {
  const declared = (envelope as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  return (declared as ClientCapabilities | undefined)?.elicitation?.url !== undefined;
}

const MESSAGE = 'The owner of this wallet must approve the request. Open the page and log in as the owner.';

/** Returns the owner's page of a result that waits for the owner; undefined for every other, and without a page. */
function approvalUrlOf({ json, isError }: ToolResult): string | undefined {
  if (isError) return undefined;
  const { status, approvalUrl } = JSON.parse(json) as {
    readonly status?: string;
    readonly approvalUrl?: string | null;
  };
  return status === 'awaiting_approval' ? (approvalUrl ?? undefined) : undefined;
}
