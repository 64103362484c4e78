import { approvalResponse } from '../application/responses/approval-response.js';
import { isoTime } from '../application/responses/exact-json.js';
import { mailedMessage } from '../application/responses/mailed-message.js';
import { assertionJson, passkeyResponse, creationOptions, registrationJson } from './owners/passkey-json.js';
import { z } from 'zod';
import { approvalResult } from './schemas/approval-records.js';
import { startRoute } from './connect-routes.js';
import { emailField } from './schemas/email-field.js';
import { emptyBody, otpCodeField, uuidField } from './schemas/fields.js';
import {
  assertionField,
  loginChallenge,
  loginDocumentField,
  mailedOwner,
  openedOwner,
  ownerResult,
  passkeyOptions,
  registrationField,
} from './schemas/owner-records.js';
import { defineRoute } from './route.js';

/** Logins of owners, whose sessions are in a cookie, and their passkeys. Every write needs the console's Origin header. */

const startedOtp = startRoute.response;
const otpId = () => uuidField('must be the otpId of the code');
const ended = z.strictObject({ revoked: z.literal(true) }).meta({ id: 'EndedOwnerSession' });

const area = 'Owners';

const SIGN = 'Sign the approval to put this into effect.';

const startOwnerLoginRoute = defineRoute(
  {
    id: 'startOwnerLogin',
    method: 'POST',
    path: '/owner/login/start',
    auth: 'console',
    area,
    summary: 'Mail a login code to an owner',
    body: z.strictObject({ email: emailField() }).meta({ id: 'StartOwnerLoginRequest' }),
    response: startedOtp,
    errors: ['UPSTREAM_ERROR'],
  },
  async ({ input: { body }, facts: { client } }, { startLogin }) => {
    const started = await startLogin.start(body.email, client, { purpose: 'owner_login' });
    const { otpId, expiresAtMs } = started;
    return { message: mailedMessage(started), data: { otpId, expiresAt: isoTime(expiresAtMs) } };
  },
);

const completeOwnerLoginRoute = defineRoute(
  {
    id: 'completeOwnerLogin',
    method: 'POST',
    path: '/owner/login/complete',
    auth: 'console',
    area,
    summary: 'Log an owner in by the mailed code',
    notes: 'Sets the cookie of the session. The first login of an address makes the owner.',
    body: z
      .strictObject({ email: emailField(), otpId: otpId(), otpCode: otpCodeField() })
      .meta({ id: 'CompleteOwnerLoginRequest' }),
    response: mailedOwner,
    errors: [],
  },
  async ({ input: { body }, facts: { client } }, { logInOwner }) => {
    const { email, otpId, otpCode: code } = body;
    const sent = { email, otpId: otpId.toLowerCase(), code, client };
    const { owner, token, isPasskeyRequired: passkeyRequired } = await logInOwner.byMail(sent);
    const data = { owner: { ...owner }, passkeyRequired };
    return { message: 'Logged in by mail.', data, ownerSession: { token } };
  },
);

const ownerLoginChallengeRoute = defineRoute(
  {
    id: 'getOwnerLoginChallenge',
    method: 'GET',
    path: '/owner/login/challenge',
    auth: 'console',
    area,
    summary: 'Get a passkey login challenge',
    response: loginChallenge,
    errors: [],
  },
  async (_call, { logInOwner }) => {
    const { document, rpId, expiresAtMs } = await logInOwner.challenge();
    const data = { document: document.toString(), rpId, expiresAt: isoTime(expiresAtMs) };
    return { message: 'Sign this document.', data };
  },
);

const passkeyLoginRoute = defineRoute(
  {
    id: 'completePasskeyLogin',
    method: 'POST',
    path: '/owner/login/passkey',
    auth: 'console',
    area,
    summary: 'Log an owner in by passkey',
    body: z
      .strictObject({ document: loginDocumentField, assertion: assertionField })
      .meta({ id: 'PasskeyLoginRequest' }),
    response: openedOwner,
    errors: ['ASSERTION_INVALID'],
  },
  async ({ input: { body }, facts: { client, ownerToken } }, { logInOwner }) => {
    const login = { document: Buffer.from(body.document), assertionJson: assertionJson(body.assertion) };
    const { owner, token } = await logInOwner.byPasskey(login, client, { token: ownerToken });
    return { message: 'Logged in by passkey.', data: { owner: { ...owner } }, ownerSession: { token } };
  },
);

export const endOwnerSessionRoute = defineRoute(
  {
    id: 'endOwnerSession',
    method: 'POST',
    path: '/owner/logout',
    auth: 'owner_by_mail',
    area,
    summary: 'End the owner’s session',
    body: emptyBody(),
    bodyOptional: true,
    response: ended,
    errors: [],
  },
  async ({ caller: { token } }, { logInOwner }) => {
    await logInOwner.end(token);
    return { message: 'Logged out.', data: { revoked: true }, ownerSession: 'ended' };
  },
);

const ownerRoute = defineRoute(
  {
    id: 'getOwner',
    method: 'GET',
    path: '/owner/me',
    auth: 'owner_by_mail',
    area,
    summary: 'Get the owner of the session',
    response: ownerResult,
    errors: [],
  },
  async ({ caller }, { registerPasskey }) => {
    const passkeys = await registerPasskey.passkeys(caller);
    const { owner, authenticatedBy, authenticatedAtMs } = caller;
    const session = { authenticatedBy, authenticatedAt: isoTime(authenticatedAtMs) };
    return { data: { owner: { ...owner }, ...session, passkeys: passkeys.map(passkeyResponse) } };
  },
);

const passkeyOptionsRoute = defineRoute(
  {
    id: 'startPasskeyRegistration',
    method: 'POST',
    path: '/owner/passkeys/options',
    auth: 'owner_by_mail',
    area,
    summary: 'Get passkey registration options',
    body: emptyBody(),
    bodyOptional: true,
    response: passkeyOptions,
    errors: [],
  },
  async ({ caller }, { registerPasskey }) => {
    const options = await registerPasskey.options(caller);
    return { message: 'Make a passkey with these options.', data: creationOptions(caller.owner, options) };
  },
);

const registerPasskeyRoute = defineRoute(
  {
    id: 'registerPasskey',
    method: 'POST',
    path: '/owner/passkeys',
    auth: 'owner_by_mail',
    area,
    summary: 'Register a passkey',
    notes:
      'The first one within ten minutes of a login by mail; it ends all other sessions of the owner. Every other one waits ' +
      'for a signature: 202.',
    body: z.strictObject({ registration: registrationField }).meta({ id: 'RegisterPasskeyRequest' }),
    response: openedOwner,
    accepted: approvalResult,
    errors: ['ASSERTION_INVALID', 'POLICY_VIOLATION'],
  },
  async ({ input: { body }, caller, facts: { client } }, { registerPasskey }) => {
    const made = { registrationJson: registrationJson(body.registration), client };
    const { approval, opened } = await registerPasskey.register(caller, made);
    if (approval) return { statusCode: 202, message: SIGN, data: { approval: approvalResponse(approval) } };
    const { owner, token } = opened;
    return { message: 'The passkey was registered.', data: { owner: { ...owner } }, ownerSession: { token } };
  },
);

const removePasskeyRoute = defineRoute(
  {
    id: 'removePasskey',
    method: 'DELETE',
    path: '/owner/passkeys/{passkeyId}',
    auth: 'owner',
    area,
    summary: 'Request the removal of a passkey',
    params: z.strictObject({ passkeyId: z.string().meta({ description: 'The passkey.' }) }),
    body: emptyBody(),
    bodyOptional: true,
    successStatus: 202,
    response: approvalResult,
    errors: ['NOT_FOUND', 'POLICY_VIOLATION'],
  },
  async ({ input: { params }, caller: { owner } }, { services: { owners } }) => {
    const approval = await owners.removePasskey(owner.id, Buffer.from(params.passkeyId, 'base64url'));
    return { statusCode: 202, message: SIGN, data: { approval: approvalResponse(approval) } };
  },
);

const recoveryOptionsRoute = defineRoute(
  {
    id: 'startPasskeyRecovery',
    method: 'POST',
    path: '/owner/recovery/start',
    auth: 'owner_by_mail',
    area,
    summary: 'Get options for a passkey that replaces lost ones',
    body: emptyBody(),
    bodyOptional: true,
    response: passkeyOptions,
    errors: [],
  },
  async ({ caller }, { registerPasskey }) => {
    const options = await registerPasskey.recoveryOptions(caller);
    return { message: 'Make a passkey with these options.', data: creationOptions(caller.owner, options) };
  },
);

const recoverRoute = defineRoute(
  {
    id: 'startRecovery',
    method: 'POST',
    path: '/owner/recovery',
    auth: 'owner_by_mail',
    area,
    summary: 'Request that a passkey replaces lost ones',
    notes:
      'Within ten minutes of a login by mail. Give the operator the approval’s id: 72 hours after the operator confirms it, ' +
      'the passkey replaces all others. Any session of the owner rejects it until then. Another owner of one of the agents ' +
      'can sign it, which is at once.',
    body: registerPasskeyRoute.body,
    successStatus: 202,
    response: approvalResult,
    errors: ['ASSERTION_INVALID', 'POLICY_VIOLATION'],
  },
  async ({ input: { body }, caller }, { registerPasskey }) => {
    const approval = await registerPasskey.recover(caller, registrationJson(body.registration));
    const message = 'Give the operator the id of this recovery.';
    return { statusCode: 202, message, data: { approval: approvalResponse(approval) } };
  },
);

/** In the order of the documents. */
export const OWNER_SESSION_ROUTES = [
  startOwnerLoginRoute,
  completeOwnerLoginRoute,
  ownerLoginChallengeRoute,
  passkeyLoginRoute,
  endOwnerSessionRoute,
  ownerRoute,
  passkeyOptionsRoute,
  registerPasskeyRoute,
  removePasskeyRoute,
  recoveryOptionsRoute,
  recoverRoute,
];
