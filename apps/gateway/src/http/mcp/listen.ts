import { AppError } from '@agent-wallet/kernel';
import type {
  McpHandlerRequestOptions,
  McpHttpHandler,
  ServerEvent,
  ServerEventBus,
} from '@modelcontextprotocol/server';
import type { ChangeStreams } from '../../application/changes/change-streams.js';
import type { ToolCaller } from './call-tool.js';
import { assertOpen, CHANGING_URIS } from './resources.js';

/** A `subscriptions/listen` request, and what serves it. */
interface Listening {
  readonly changeStreams: ChangeStreams;
  readonly by: ToolCaller;
  /** Creates a handler whose notifications come from a bus. */
  readonly handlerOf: (bus: ServerEventBus) => McpHttpHandler;
  readonly request: Request;
  readonly options: McpHandlerRequestOptions;
}

/**
 * Serves a subscription with the changes of the caller's own wallet. Every stream has a bus of its own, so that no caller
 * learns when another's wallet changes. It ends with the session, and within the bounds of all streams of changes.
 * @throws AppError INSUFFICIENT_SCOPE, SERVICE_UNAVAILABLE
 */
export async function listen({ changeStreams, by, handlerOf, request, options }: Listening): Promise<Response> {
  assertOpen('followChanges', by);
  const { agentId, sessionId, token } = by.caller;
  const reader = { kind: 'agent', agentId, sessionId, tokenId: token?.id, client: by.facts.client } as const;
  const { body } = await changeStreams.open(reader, undefined);
  let isHeard = false;
  const handler = handlerOf({
    publish: () => undefined,
    subscribe(listener) {
      isHeard = true;
      body.on('data', (chunk: Buffer) => eventsIn(chunk.toString()).forEach(listener));
      return () => void body.destroy();
    },
  });
  body.once('close', () => void handler.close());
  try {
    return await handler.fetch(request, options);
  } finally {
    // The library refused it, or it asks for nothing that changes.
    if (!isHeard) body.destroy();
  }
}

const DATA = /^data: (\{.*\})$/gm;

/** Returns the notifications of events of the stream: each names what to read again. */
function eventsIn(text: string): ServerEvent[] {
  const types = [...text.matchAll(DATA)].map(([, json]) => (JSON.parse(json!) as { readonly type?: string }).type);
  const uris = new Set(types.flatMap((type) => (type === undefined ? [] : urisOf(type))));
  return [...uris].map((uri) => ({ kind: 'resource_updated', uri }));
}

/** Resources that an event changes, by what its type is about: `agentwallet.policy.changed.v1`. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  policy: ['wallet://policy', 'wallet://usage', 'wallet://history'],
  approval: ['wallet://approvals', 'wallet://history'],
  reservation: ['wallet://usage'],
  ...Object.fromEntries(['session', 'token', 'passkey', 'member', 'message'].map((about) => [about, []])),
};

function urisOf(type: string): readonly string[] {
  const [, about = ''] = type.split('.');
  // What is not listed may have moved money.
  return CHANGED[about] ?? CHANGING_URIS;
}

/** Returns the refusal of a subscription as JSON-RPC. */
export function listenRefusal(error: unknown, id: unknown): Response {
  if (!(error instanceof AppError)) throw error;
  const { code, message } = error;
  return Response.json({ jsonrpc: '2.0', id: id ?? null, error: { code: -32_603, message, data: { code } } });
}
