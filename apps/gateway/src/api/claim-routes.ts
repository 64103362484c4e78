import { isoTime } from '../application/responses/exact-json.js';
import { mailedMessage } from '../application/responses/mailed-message.js';
import { approvalResponse } from '../application/responses/approval-response.js';
import { CLAIM_CANCELLATION } from '../domain/otp.js';
import { z } from 'zod';
import { startRoute } from './connect-routes.js';
import { readClaimOtp } from './owners/owner-input.js';
import { defineRoute } from './route.js';
import { approvalResult } from './schemas/approval-records.js';
import { emailField } from './schemas/email-field.js';
import { flagField, otpCodeField, uuidField } from './schemas/fields.js';
import { cancelClaimsRoute, cancelledClaims } from './session-routes.js';

/** Routes that claim an agent, or cancel a claim with a code mailed to the agent, without a session. */

const startedOtp = startRoute.response;
const otpId = () => uuidField('must be the otpId of the code');
const area = 'Owners';

const startClaimRoute = defineRoute(
  {
    id: 'startClaim',
    method: 'POST',
    path: '/owner/claims/start',
    auth: 'owner',
    area,
    summary: 'Mail a claim code to the address of an agent',
    body: z.strictObject({ agentEmail: emailField() }).meta({ id: 'StartClaimRequest' }),
    response: startedOtp,
    errors: ['UPSTREAM_ERROR'],
  },
  async ({ input: { body }, caller, facts: { client } }, { claimAgent }) => {
    const started = await claimAgent.start(caller, body.agentEmail, client);
    const { otpId, expiresAtMs } = started;
    return { message: mailedMessage(started), data: { otpId, expiresAt: isoTime(expiresAtMs) } };
  },
);

const claimRoute = defineRoute(
  {
    id: 'claimAgent',
    method: 'POST',
    path: '/owner/claims',
    auth: 'owner',
    area,
    summary: 'Claim an agent',
    notes:
      'Takes effect when the owner signs it, or some time later: see `delayHours`. Then the agent’s sessions end, unless ' +
      '`keepSessions`. The owner’s own address needs no code within ten minutes of a login by mail.',
    body: z
      .strictObject({
        agentEmail: emailField(),
        otpId: otpId().optional(),
        otpCode: otpCodeField().optional(),
        keepSessions: flagField('Whether the agent’s sessions go on.'),
      })
      .meta({ id: 'ClaimRequest' }),
    successStatus: 202,
    response: approvalResult,
    errors: ['NOT_FOUND', 'APPROVAL_CLOSED', 'POLICY_VIOLATION'],
  },
  async ({ input: { body }, caller, facts: { client } }, { claimAgent }) => {
    const { agentEmail, keepSessions: keepsSessions } = body;
    const claim = { agentEmail, keepsSessions, otp: readClaimOtp(body) };
    const approval = await claimAgent.request(caller, claim, client);
    return { statusCode: 202, message: 'Sign the claim.', data: { approval: approvalResponse(approval) } };
  },
);

const startCancellationRoute = defineRoute(
  {
    id: 'startClaimCancellation',
    method: 'POST',
    path: '/owner/claims/cancel/start',
    auth: 'console',
    area,
    summary: 'Mail a code that cancels the claims of an agent',
    body: startClaimRoute.body,
    response: startedOtp,
    errors: ['UPSTREAM_ERROR'],
  },
  async ({ input: { body }, facts: { client } }, { startLogin }) => {
    const started = await startLogin.start(body.agentEmail, client, CLAIM_CANCELLATION);
    const { otpId, expiresAtMs } = started;
    return { message: mailedMessage(started), data: { otpId, expiresAt: isoTime(expiresAtMs) } };
  },
);

const cancelRoute = defineRoute(
  {
    id: 'cancelClaimsOfAgent',
    method: 'POST',
    path: '/owner/claims/cancel',
    auth: 'console',
    area,
    summary: cancelClaimsRoute.summary,
    notes: 'As `/connect/claims/cancel`, for the console.',
    body: z
      .strictObject({ agentEmail: emailField(), otpId: otpId(), otpCode: otpCodeField() })
      .meta({ id: 'CancelClaimsRequest' }),
    response: cancelClaimsRoute.response,
    errors: ['AUTHENTICATION_ERROR'],
  },
  async ({ input: { body }, facts: { client } }, { claimAgent }) => {
    const { agentEmail: email, otpId, otpCode: code } = body;
    const cancelled = await claimAgent.cancel({ email, otpId: otpId.toLowerCase(), code, client });
    return cancelledClaims(cancelled);
  },
);

/** Routes of claims, in the order of the documents. */
export const CLAIM_ROUTES = [startClaimRoute, claimRoute, startCancellationRoute, cancelRoute];
