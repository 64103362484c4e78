import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  inputResponse,
  type InputResponseView,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { text } from './media.js';

/** State of a call between its rounds. */
interface Round {
  readonly round: number;
}

/** Signs the state that a client holds between two rounds. */
export const roundCodec = createRequestStateCodec<Round>({ key: randomBytes(32) });

const ROOTS = inputRequired.listRoots();
const QUESTION = inputRequired.createMessage({
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 100,
});
const CONFIRM = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});

/** Adds the tools of 2026-07-28 that ask the client for input. */
export function addAskingTools(server: McpServer): void {
  const description = 'Asks for input';
  server.registerTool('test_input_required_result_elicitation', { description }, ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name', z.object({ name: z.string() }));
    if (given) return { content: [text(`Hello, ${given.name}!`)] };
    return inputRequired({ inputRequests: { user_name: askText('What is your name?', 'name') } });
  });
  addOneRound(server, 'test_input_required_result_sampling', { capital_question: QUESTION });
  addOneRound(server, 'test_input_required_result_list_roots', { client_roots: ROOTS });
  addOneRound(server, 'test_missing_capability', { question: QUESTION });
  addOneRound(server, 'test_streaming_elicitation', { confirm: CONFIRM });
  addOneRound(server, 'test_input_required_result_request_state', { confirm: CONFIRM }, true);
  addOneRound(server, 'test_input_required_result_tampered_state', { confirm: CONFIRM }, true);
  const all = { user_name: askText('What is your name?', 'name'), greeting: QUESTION, client_roots: ROOTS };
  addOneRound(server, 'test_input_required_result_multiple_inputs', all, true);
  server.registerTool('test_input_required_result_multi_round', { description }, async (context) => {
    const round = context.mcpReq.requestState<Round>()?.round ?? 0;
    if (round === 2) return { content: [text('Both rounds are complete')] };
    const step = [askText('What is your name?', 'name'), askText('Which color do you like?', 'color')][round]!;
    const requestState = await roundCodec.mint({ round: round + 1 }, context);
    return inputRequired({ inputRequests: { [`step${round + 1}`]: step }, requestState });
  });
  server.registerTool('test_input_required_result_capabilities', { description }, ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
    const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
    const inputRequests: Record<string, InputRequest> = {};
    if (declared?.elicitation) inputRequests.confirm = CONFIRM;
    if (declared?.sampling) inputRequests.question = QUESTION;
    return inputRequired({ inputRequests });
  });
}

/** Adds a tool that completes once every request has its response. */
function addOneRound(
  server: McpServer,
  name: string,
  inputRequests: Readonly<Record<string, InputRequest>>,
  hasState = false,
): void {
  server.registerTool(name, { description: 'Asks for input' }, async (context) => {
    const views = Object.keys(inputRequests).map((key) => inputResponse(context.mcpReq.inputResponses, key));
    if (views.every(({ kind }) => kind !== 'missing')) return { content: [text(describe(context, views))] };
    if (!hasState) return inputRequired({ inputRequests });
    return inputRequired({ inputRequests, requestState: await roundCodec.mint({ round: 1 }, context) });
  });
}

function describe({ mcpReq }: ServerContext, views: readonly InputResponseView[]): string {
  const state = mcpReq.requestState<Round>() ? 'state-ok' : 'no state';
  return `${state}: ${JSON.stringify(views)}`;
}

function askText(message: string, field: string): InputRequest {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });
}
