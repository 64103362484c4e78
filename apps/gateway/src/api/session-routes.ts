import { isoTime } from '../application/responses/exact-json.js';
import { z } from 'zod';
import { completeRoute, logoutRoute } from './connect-routes.js';
import type { Session } from '../domain/session.js';
import { type AgentCaller, defineRoute } from './route.js';
import { uuidField } from './schemas/fields.js';
import { count, time, uuid } from './schemas/units.js';

const ID = '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f';

const sessionRecord = z
  .strictObject({
    id: uuid('Not a secret. A refresh changes it.'),
    createdAt: time('The login, or the latest refresh.'),
    authenticatedAt: time('When a mailed code last proved the address.'),
    lastUsedAt: time().nullable().meta({ description: 'To the minute; null before the first use.' }),
    expiresAt: time(),
    network: z
      .string()
      .nullable()
      .meta({ description: 'Where the client was then: /24 of IPv4, /48 of IPv6; null if not recorded.' }),
    current: z.boolean().meta({ description: 'Whether it is that of this request.' }),
  })
  .meta({ id: 'Session' });

/** Largest number of sessions in a list. */
export const MAX_LISTED_SESSIONS = 100;

export const listSessionsRoute = defineRoute(
  {
    id: 'listSessions',
    method: 'GET',
    path: '/connect/sessions',
    scope: 'session',
    auth: 'bearer',
    area: 'Authentication',
    summary: 'List the sessions of this agent',
    notes: `Those of the newest login first, at most ${MAX_LISTED_SESSIONS}.`,
    response: z.strictObject({ sessions: z.array(sessionRecord) }).meta({ id: 'SessionList' }),
    errors: [],
    example: {
      response: {
        sessions: [
          {
            id: ID,
            createdAt: '2026-11-21T10:01:00.000Z',
            authenticatedAt: '2026-11-21T10:01:00.000Z',
            lastUsedAt: '2026-11-21T10:02:00.000Z',
            expiresAt: '2026-11-28T10:01:00.000Z',
            network: '203.0.113.0/24',
            current: true,
          },
        ],
      },
    },
  },
  async ({ caller }, { sessions }) => {
    const listed = await sessions.list(caller.agentId, MAX_LISTED_SESSIONS);
    return { data: { sessions: listed.map((each) => sessionResponse(each, caller)) } };
  },
);

export const endSessionByIdRoute = defineRoute(
  {
    id: 'endSessionById',
    method: 'DELETE',
    path: '/connect/sessions/{sessionId}',
    auth: 'bearer',
    area: 'Authentication',
    summary: 'End a session of this agent',
    notes:
      'Its token stops working at once, with the scoped tokens of its login. A session whose mailed code is later than ' +
      'yours cannot be ended so (401 `login_too_old`): log in again, or end all with a code.',
    params: z.strictObject({ sessionId: uuidField('must be the id of a session') }),
    response: logoutRoute.response,
    errors: ['NOT_FOUND'],
    example: { response: { revoked: true } },
  },
  async ({ input: { params }, caller }, { endSession }) => {
    await endSession.end(caller, params.sessionId);
    return { message: 'The session was ended.', data: { revoked: true } };
  },
);

export const evictRoute = defineRoute(
  {
    id: 'endAllSessions',
    method: 'POST',
    path: '/connect/evict',
    auth: 'none',
    area: 'Authentication',
    summary: 'End all sessions of an agent by a mailed code',
    notes:
      'For a stolen token. Takes a code of `/connect/start` with `"purpose":"evict"`. No replica accepts an ended token ' +
      'from the response on, and operations that waited for an approval are void. After a 503 the sessions have ended, and ' +
      'those operations follow. Limits are those of a login. After a lost response use a new code.',
    body: completeRoute.body,
    response: z.strictObject({ ended: count('Sessions that this ended.') }).meta({ id: 'EndedSessions' }),
    errors: ['AUTHENTICATION_ERROR'],
    example: { request: completeRoute.example.request, response: { ended: 2 } },
  },
  async ({ input: { body }, facts: { client } }, { evictSessions }) => {
    const { email, otpId, otpCode: code } = body;
    const ended = await evictSessions.evict({ email, otpId: otpId.toLowerCase(), code, client });
    return { message: 'All sessions were ended.', data: { ended } };
  },
);

export const cancelClaimsRoute = defineRoute(
  {
    id: 'cancelClaims',
    method: 'POST',
    path: '/connect/claims/cancel',
    auth: 'none',
    area: 'Authentication',
    summary: 'Cancel claims by a mailed code',
    notes:
      'For a person who reads the agent’s mail and does not know who asks to become its owner. Takes a code of ' +
      '`/connect/start` with `"purpose":"cancel_claim"`, which has a limit of its own. Until a claim takes effect it is ' +
      'cancelled, signed or not; a claim in effect stays.',
    body: completeRoute.body,
    response: z.strictObject({ cancelled: count('Claims that this cancelled.') }).meta({ id: 'CancelledClaims' }),
    errors: ['AUTHENTICATION_ERROR'],
    example: { request: completeRoute.example.request, response: { cancelled: 1 } },
  },
  async ({ input: { body }, facts: { client } }, { claimAgent }) => {
    const { email, otpId, otpCode: code } = body;
    const cancelled = await claimAgent.cancel({ email, otpId: otpId.toLowerCase(), code, client });
    return cancelledClaims(cancelled);
  },
);

/** Answers how many claims were cancelled. */
export function cancelledClaims(cancelled: number) {
  return { message: cancelled === 0 ? 'No claim was waiting.' : 'The claims were cancelled.', data: { cancelled } };
}

function sessionResponse(session: Session, { sessionId }: AgentCaller) {
  return {
    id: session.id,
    createdAt: isoTime(session.createdAtMs),
    authenticatedAt: isoTime(session.authenticatedAtMs),
    lastUsedAt: session.lastUsedAtMs === undefined ? null : isoTime(session.lastUsedAtMs),
    expiresAt: isoTime(session.expiresAtMs),
    network: session.network ?? null,
    current: session.id === sessionId,
  };
}
