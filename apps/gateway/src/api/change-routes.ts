import { z } from 'zod';
import { hashSecret } from '../domain/secrets.js';
import { EventStreamResponse } from './response.js';
import { defineRoute, type RequestFacts } from './route.js';

const NOTES =
  'Server-Sent Events. First `ready`; or `reset` where more was missed than is sent again: read again what you show. ' +
  'Then `change`, at once: `data` is `{agentId, sequence, eventId, type, occurredAt, action, transactionId}`, with the ' +
  'sequence of the history proof, and names what to read again. After a cut, send the last `id` as `Last-Event-ID`: no ' +
  'change is lost or comes twice. A stream ends with its session. At most 10 streams of an owner, of all sessions of an agent, or of a token; one more ends the oldest.';

const stream = {
  method: 'GET',
  plain: 'text/event-stream',
  response: z.string().meta({ description: 'Lines of Server-Sent Events.' }),
  errors: [],
} as const;

/** Returns the id of the last event that the client has. */
function lastEventIdOf({ headers }: RequestFacts): string | undefined {
  return headers['last-event-id']?.toString() || undefined;
}

export const changesRoute = defineRoute(
  {
    ...stream,
    id: 'followChanges',
    path: '/wallets/me/events',
    auth: 'bearer',
    area: 'Wallet',
    summary: 'Follow changes of this wallet live',
    notes: NOTES,
  },
  async ({ caller: { agentId, sessionId, token }, facts }, { changeStreams }) => {
    const reader = { kind: 'agent', agentId, sessionId, tokenId: token?.id, client: facts.client } as const;
    const { body } = await changeStreams.open(reader, lastEventIdOf(facts));
    return new EventStreamResponse(body);
  },
);

export const ownerChangesRoute = defineRoute(
  {
    ...stream,
    id: 'followOwnedChanges',
    path: '/owner/events',
    auth: 'owner_by_mail',
    area: 'Owners',
    summary: 'Follow changes of your agents live',
    notes: `${NOTES} An id is \`agentId:sequence\`; your own id stands for your passkeys.`,
  },
  async ({ caller: { owner, token }, facts }, { changeStreams }) => {
    const { client } = facts;
    const reader = { kind: 'owner', ownerId: owner.id, tokenHash: hashSecret(token), client } as const;
    const { body } = await changeStreams.open(reader, lastEventIdOf(facts));
    return new EventStreamResponse(body);
  },
);
