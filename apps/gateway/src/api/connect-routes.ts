import { knownAgent } from '../application/connect/session.js';
import { isoTime } from '../application/responses/exact-json.js';
import { mailedMessage } from '../application/responses/mailed-message.js';
import { z } from 'zod';
import { grantOf } from './grant-of.js';
import { grantField } from './schemas/scoped-token.js';
import { ADDRESS } from './schemas/examples.js';
import { emailField } from './schemas/email-field.js';
import { emptyBody, otpCodeField, uuidField } from './schemas/fields.js';
import { defineRoute } from './route.js';
import { address, time, uuid } from './schemas/units.js';

const TOKEN = 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9…';

export const startRoute = defineRoute(
  {
    id: 'startLogin',
    method: 'POST',
    path: '/connect/start',
    auth: 'none',
    area: 'Authentication',
    summary: 'Mail a login code',
    notes:
      'Mails a code for `/connect/complete`, `/connect/evict` or `/connect/claims/cancel`, to any address alike. It has six ' +
      'digits, or twelve and an hour while strangers ask for too many. ' +
      'A code of six lives ten minutes; three of an address work side by side. While the mail server is away the mail comes later.',
    body: z
      .strictObject({
        email: emailField(),
        purpose: z
          .enum(['login', 'evict', 'cancel_claim'], 'must be login, evict or cancel_claim')
          .default('login')
          .meta({ description: 'Of the code.' }),
        ownerEmail: emailField().optional().meta({ description: 'Who alone can claim a new agent.' }),
      })
      .refine(({ email, ownerEmail }) => email !== ownerEmail, {
        path: ['ownerEmail'],
        error: 'must be another address than the agent’s',
      })
      .refine(({ purpose, ownerEmail }) => purpose === 'login' || ownerEmail === undefined, {
        path: ['ownerEmail'],
        error: 'is for logins alone',
      })
      .meta({ id: 'StartLoginRequest' }),
    response: z.strictObject({ otpId: uuid(), expiresAt: time() }).meta({ id: 'StartedLogin' }),
    errors: ['UPSTREAM_ERROR'],
    example: {
      request: { email: 'owner@example.com' },
      response: { otpId: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f', expiresAt: '2026-11-21T10:10:00.000Z' },
    },
  },
  async ({ input: { body }, facts }, { startLogin }) => {
    const { email, purpose, ownerEmail } = body;
    const started = await startLogin.start(
      email,
      facts.client,
      purpose === 'login' ? { purpose, ownerEmail } : { purpose },
    );
    const { otpId, expiresAtMs } = started;
    return { message: mailedMessage(started), data: { otpId, expiresAt: isoTime(expiresAtMs) } };
  },
);

export const completeRoute = defineRoute(
  {
    id: 'completeLogin',
    method: 'POST',
    path: '/connect/complete',
    auth: 'none',
    area: 'Authentication',
    summary: 'Exchange the login code for a token',
    notes:
      'The first login of an address creates the agent, its wallet and its default policy. A code works once; five ' +
      'tries per `otpId`, and so many wrong ones per client address and hour (see "Limits"). After a 5xx the same code ' +
      'can be sent again. The token is valid for the policy’s `sessionExpirationHours`.',
    body: z
      .strictObject({
        email: emailField(),
        otpId: uuidField('must be the otpId of /connect/start'),
        otpCode: otpCodeField(),
      })
      .meta({ id: 'MailedCodeRequest' }),
    response: z
      .strictObject({
        sessionToken: z.string(),
        expiresAt: time(),
        chainAddress: address(),
        solanaAddress: address('The same as `chainAddress`.'),
        isNewUser: z.boolean(),
      })
      .meta({ id: 'CompletedLogin' }),
    errors: ['AUTHENTICATION_ERROR', 'OWNER_REQUIRED'],
    example: {
      request: { email: 'owner@example.com', otpId: '01938f6e-5b7a-7cc3-98c4-dc0c0c07398f', otpCode: '482913' },
      response: {
        sessionToken: TOKEN,
        expiresAt: '2026-11-28T10:01:00.000Z',
        chainAddress: ADDRESS,
        solanaAddress: ADDRESS,
        isNewUser: true,
      },
    },
  },
  async ({ input: { body }, facts: { client } }, { completeLogin }) => {
    const { email, otpId, otpCode: code } = body;
    const login = { email, otpId: otpId.toLowerCase(), code, client };
    const { token, session, address, isNewUser } = await completeLogin.complete(login);
    const expiresAt = isoTime(session.expiresAtMs);
    const data = { sessionToken: token, expiresAt, chainAddress: address, solanaAddress: address, isNewUser };
    return { message: 'Logged in.', data };
  },
);

export const validateRoute = defineRoute(
  {
    id: 'validateSession',
    method: 'POST',
    path: '/connect/validate',
    scope: 'any',
    auth: 'bearer',
    area: 'Authentication',
    summary: 'Check a token',
    body: emptyBody(),
    bodyOptional: true,
    response: z
      .strictObject({
        valid: z.literal(true),
        email: z.string(),
        chainAddress: address(),
        solanaAddress: address('The same as `chainAddress`.'),
        expiresAt: time(),
        grant: grantField(),
      })
      .meta({ id: 'ValidSession' }),
    errors: [],
    example: {
      response: {
        valid: true,
        email: 'owner@example.com',
        chainAddress: ADDRESS,
        solanaAddress: ADDRESS,
        expiresAt: '2026-11-28T10:01:00.000Z',
        grant: null,
      },
    },
  },
  async ({ caller }, { sessions, services: { policy } }) => {
    const [{ email, address }, grant] = await Promise.all([
      knownAgent(sessions, caller.agentId),
      grantOf(caller, policy),
    ]);
    const expiresAt = isoTime(caller.expiresAtMs);
    const data = { valid: true, email, chainAddress: address, solanaAddress: address, expiresAt, grant };
    return { message: 'The token is valid.', data };
  },
);

export const refreshRoute = defineRoute(
  {
    id: 'refreshSession',
    method: 'POST',
    path: '/connect/refresh',
    auth: 'bearer',
    area: 'Authentication',
    summary: 'Exchange a token for a new `sessionToken`',
    judgesEndedSessions: true,
    notes:
      'The old token is revoked at once. Sent again within a minute, and before the new token was used, it gets the same ' +
      'session again: repeat after a lost response. Later it counts as stolen, and the new session ends, too. Some time ' +
      'after the last login code a refresh extends nothing: log in again.',
    body: emptyBody(),
    bodyOptional: true,
    response: z
      .strictObject({
        sessionToken: z.string(),
        expiresAt: time(),
        email: z.string(),
        chainAddress: address(),
        solanaAddress: address('The same as `chainAddress`.'),
      })
      .meta({ id: 'RefreshedSession' }),
    errors: [],
    example: {
      response: {
        sessionToken: TOKEN,
        expiresAt: '2026-12-05T10:01:00.000Z',
        email: 'owner@example.com',
        chainAddress: ADDRESS,
        solanaAddress: ADDRESS,
      },
    },
  },
  async ({ caller, facts: { client } }, { refreshSession }) => {
    const { token, session, email, address } = await refreshSession.refresh({ ...caller, client });
    const expiresAt = isoTime(session.expiresAtMs);
    const data = { sessionToken: token, expiresAt, email, chainAddress: address, solanaAddress: address };
    return { message: 'The token was exchanged.', data };
  },
);

export const logoutRoute = defineRoute(
  {
    id: 'endSession',
    method: 'POST',
    path: '/connect/logout',
    scope: 'any',
    auth: 'bearer',
    area: 'Authentication',
    summary: 'Revoke a token',
    notes: 'The scoped tokens that the login of the token has opened end with it.',
    body: emptyBody(),
    bodyOptional: true,
    response: z.strictObject({ revoked: z.literal(true) }).meta({ id: 'EndedSession' }),
    errors: [],
    example: { response: { revoked: true } },
  },
  async ({ caller }, { endSession, manageTokens }) => {
    if (caller.token) {
      await manageTokens.end({ agentId: caller.agentId, tokenId: caller.token.id });
      return { message: 'The token has ended.', data: { revoked: true } };
    }
    await endSession.end(caller, caller.sessionId);
    return { message: 'Logged out.', data: { revoked: true } };
  },
);
