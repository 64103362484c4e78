import { z } from 'zod';
import { isoTime } from '../application/responses/exact-json.js';
import { type ListedOwnerSession, ownerSessionExpiry } from '../domain/owner-session.js';
import { endOwnerSessionRoute } from './owner-routes.js';
import { defineRoute, type OwnerCaller } from './route.js';
import { emptyBody, uuidField } from './schemas/fields.js';
import { count, time, uuid } from './schemas/units.js';
import { MAX_LISTED_SESSIONS } from './session-routes.js';

/** Sessions of an owner's browsers. To see and end them is safe, so a session by mail does, too. */

const area = 'Owners';

const sessionRecord = z
  .strictObject({
    id: uuid('Not a secret.'),
    current: z.boolean().meta({ description: 'Whether it is that of this request.' }),
    authenticatedBy: z.enum(['mail', 'passkey']),
    passkeyId: z.string().nullable().meta({ description: 'The passkey that opened it; null of a session by mail.' }),
    createdAt: time('The login.'),
    lastUsedAt: time('The latest request.'),
    expiresAt: time('When it ends without another request.'),
    network: z.string().meta({ description: 'Where the login came from: /24 of IPv4, /48 of IPv6.' }),
  })
  .meta({ id: 'OwnerSession' });

const listOwnerSessionsRoute = defineRoute(
  {
    id: 'listOwnerSessions',
    method: 'GET',
    path: '/owner/sessions',
    auth: 'owner_by_mail',
    area,
    summary: 'List the sessions of the owner',
    notes: `Those of the newest login first, at most ${MAX_LISTED_SESSIONS}.`,
    response: z.strictObject({ sessions: z.array(sessionRecord) }).meta({ id: 'OwnerSessionList' }),
    errors: [],
  },
  async ({ caller }, { ownerSessions }) => {
    const listed = await ownerSessions.list(caller.owner.id, MAX_LISTED_SESSIONS);
    return { data: { sessions: listed.map((each) => sessionResponse(each, caller)) } };
  },
);

const endOwnerSessionByIdRoute = defineRoute(
  {
    id: 'endOwnerSessionById',
    method: 'DELETE',
    path: '/owner/sessions/{sessionId}',
    auth: 'owner_by_mail',
    area,
    summary: 'End a session of the owner',
    notes:
      'It stops working at once, and its streams end. A session by mail ends sessions by mail alone ' +
      '(401 `passkey_required`).',
    params: z.strictObject({ sessionId: uuidField('must be the id of a session') }),
    body: emptyBody(),
    bodyOptional: true,
    response: endOwnerSessionRoute.response,
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller }, { ownerSessions }) => {
    await ownerSessions.end(caller, params.sessionId);
    const isOwn = params.sessionId === caller.id;
    return { message: 'The session was ended.', data: { revoked: true }, ...(isOwn && { ownerSession: 'ended' }) };
  },
);

const endOtherOwnerSessionsRoute = defineRoute(
  {
    id: 'endOtherOwnerSessions',
    method: 'POST',
    path: '/owner/sessions/end-others',
    auth: 'owner_by_mail',
    area,
    summary: 'End the other sessions of the owner',
    notes: 'A session by mail ends the other sessions by mail, and none of a passkey.',
    body: emptyBody(),
    bodyOptional: true,
    response: z.strictObject({ ended: count('Sessions that this ended.') }).meta({ id: 'EndedOwnerSessions' }),
    errors: [],
  },
  async ({ caller }, { ownerSessions }) => {
    const ended = await ownerSessions.endOthers(caller);
    return { message: 'The other sessions were ended.', data: { ended } };
  },
);

/** In the order of the documents. */
export const OWNER_SESSION_LIST_ROUTES = [listOwnerSessionsRoute, endOwnerSessionByIdRoute, endOtherOwnerSessionsRoute];

function sessionResponse(session: ListedOwnerSession, { id }: OwnerCaller) {
  return {
    id: session.id,
    current: session.id === id,
    authenticatedBy: session.authenticatedBy,
    passkeyId: session.credentialId?.toString('base64url') ?? null,
    createdAt: isoTime(session.authenticatedAtMs),
    lastUsedAt: isoTime(session.usedAtMs),
    expiresAt: isoTime(ownerSessionExpiry(session)),
    network: session.network,
  };
}
