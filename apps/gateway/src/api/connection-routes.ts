import { z } from 'zod';
import { TOKEN_SCOPES } from '@agent-wallet/kernel';
import { isoTime } from '../application/responses/exact-json.js';
import { type Connection, isOnThisMachine, receiverOf } from '../domain/connection.js';
import { defineRoute } from './route.js';
import { emptyBody, uuidField } from './schemas/fields.js';
import { time, url, uuid } from './schemas/units.js';

/** Apps that ask for a scoped token of an agent: their hosts speak MCP, and the owner decides in the console. */

const area = 'Owners';

export const connectionIdField = () => uuidField('must be the id of a connection');

const connectionParams = z.strictObject({ connectionId: connectionIdField() });

const connectionRecord = z
  .strictObject({
    id: uuid(),
    clientId: z
      .string()
      .meta({ description: 'Address of the app’s own document; or the name under which the operator registered it.' }),
    clientHost: z.string().nullable().meta({ description: 'Who the app is of; null of a registered one.' }),
    clientName: z.string().meta({ description: 'As the app calls itself: not verified.' }),
    clientUri: url().nullable(),
    receiver: z
      .string()
      .meta({ description: 'Who gets the token: the host of an https address; of any other, the whole redirect URI.' }),
    redirectsToThisMachine: z
      .boolean()
      .meta({ description: 'Whether any program on the owner’s machine may be the app.' }),
    scopes: z.array(z.enum(TOKEN_SCOPES)).meta({ description: 'Scopes that the app asks for.' }),
    expiresAt: time('Until when it can be decided.'),
  })
  .meta({ id: 'Connection' });

export const redirectField = () => url('Where the browser goes next, with the app’s code or the rejection.');

const getConnectionRoute = defineRoute(
  {
    id: 'getConnection',
    method: 'GET',
    path: '/owner/connections/{connectionId}',
    auth: 'owner_by_mail',
    area,
    summary: 'Get the request of an app for a token',
    notes:
      'To grant it, request a scoped token with the limits that you choose, and approve it with the `connectionId`. Nothing ' +
      'in it but `clientHost` and `receiver` is verified. Only the browser that began the request can read or decide it.',
    params: connectionParams,
    response: z.strictObject({ connection: connectionRecord }).meta({ id: 'ConnectionResult' }),
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, facts: { begunConnections = [] } }, { decideConnection }) => ({
    data: { connection: connectionResponse(await decideConnection.find(params.connectionId, begunConnections)) },
  }),
);

const rejectConnectionRoute = defineRoute(
  {
    id: 'rejectConnection',
    method: 'POST',
    path: '/owner/connections/{connectionId}/reject',
    auth: 'owner_by_mail',
    area,
    summary: 'Reject the request of an app',
    params: connectionParams,
    body: emptyBody(),
    bodyOptional: true,
    response: z.strictObject({ redirectTo: redirectField() }).meta({ id: 'RejectedConnection' }),
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, facts: { begunConnections = [] } }, { decideConnection }) => ({
    message: 'The app gets nothing.',
    data: { redirectTo: await decideConnection.reject(params.connectionId, begunConnections) },
  }),
);

export const CONNECTION_ROUTES = [getConnectionRoute, rejectConnectionRoute] as const;

function connectionResponse({ id, client, redirectUri, scopes, expiresAtMs }: Connection) {
  return {
    id,
    clientId: client.id,
    clientHost: URL.canParse(client.id) ? new URL(client.id).host : null,
    clientName: client.name,
    clientUri: client.uri ?? null,
    receiver: receiverOf(redirectUri),
    redirectsToThisMachine: isOnThisMachine(redirectUri),
    scopes: [...scopes],
    expiresAt: isoTime(expiresAtMs),
  };
}
