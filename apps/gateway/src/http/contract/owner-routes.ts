import { z } from 'zod';
import {
  approvalDetailsResult,
  approvalPage,
  approvalParams,
  approvalQuery,
  approvalResult,
} from './approval-records.js';
import { startRoute } from './connect-routes.js';
import { emailField, emptyBody, flagField, otpCodeField, queryCursor } from './fields.js';
import {
  assertionField,
  loginChallenge,
  loginDocumentField,
  mailedOwner,
  openedOwner,
  ownedAgents,
  ownerResult,
  passkeyOptions,
  registrationField,
} from './owner-records.js';
import { policyChanges } from './policy-fields.js';
import { policyUpdateResult } from './policy-records.js';
import { route } from './route.js';
import { count } from './units.js';

/** What owners do in their console, with a session in a cookie. Every write needs the console's Origin header. */

const startedOtp = startRoute.response;
const otpId = () => z.uuid('must be the otpId of the code');
const ended = z.strictObject({ revoked: z.literal(true) }).meta({ id: 'EndedOwnerSession' });
const assertionBody = z.strictObject({ assertion: assertionField }).meta({ id: 'AssertionRequest' });
const agentParams = z.strictObject({ agentId: z.string().meta({ description: 'The agent.' }) });

const area = 'Owners';

export const startOwnerLoginRoute = route({
  ...{ id: 'startOwnerLogin', method: 'POST', path: '/owner/login/start', auth: 'console', area },
  summary: 'Mail a login code to an owner',
  body: z.strictObject({ email: emailField() }).meta({ id: 'StartOwnerLoginRequest' }),
  response: startedOtp,
  errors: ['UPSTREAM_ERROR'],
});

export const completeOwnerLoginRoute = route({
  ...{ id: 'completeOwnerLogin', method: 'POST', path: '/owner/login/complete', auth: 'console', area },
  summary: 'Log an owner in by the mailed code',
  notes: 'Sets the cookie of the session. The first login of an address makes the owner.',
  body: z
    .strictObject({ email: emailField(), otpId: otpId(), otpCode: otpCodeField() })
    .meta({ id: 'CompleteOwnerLoginRequest' }),
  response: mailedOwner,
  errors: [],
});

export const ownerLoginChallengeRoute = route({
  ...{ id: 'getOwnerLoginChallenge', method: 'GET', path: '/owner/login/challenge', auth: 'console', area },
  summary: 'A document to log in with by passkey',
  response: loginChallenge,
  errors: [],
});

export const passkeyLoginRoute = route({
  ...{ id: 'completePasskeyLogin', method: 'POST', path: '/owner/login/passkey', auth: 'console', area },
  summary: 'Log an owner in by passkey',
  body: z.strictObject({ document: loginDocumentField, assertion: assertionField }).meta({ id: 'PasskeyLoginRequest' }),
  response: openedOwner,
  errors: ['ASSERTION_INVALID'],
});

export const endOwnerSessionRoute = route({
  ...{ id: 'endOwnerSession', method: 'POST', path: '/owner/logout', auth: 'owner_by_mail', area },
  summary: 'End the owner’s session',
  body: emptyBody(),
  bodyOptional: true,
  response: ended,
  errors: [],
});

export const ownerRoute = route({
  ...{ id: 'getOwner', method: 'GET', path: '/owner/me', auth: 'owner_by_mail', area },
  summary: 'The owner of the session',
  response: ownerResult,
  errors: [],
});

export const passkeyOptionsRoute = route({
  ...{ id: 'startPasskeyRegistration', method: 'POST', path: '/owner/passkeys/options', auth: 'owner_by_mail', area },
  summary: 'What a browser needs to make a passkey',
  body: emptyBody(),
  bodyOptional: true,
  response: passkeyOptions,
  errors: [],
});

export const registerPasskeyRoute = route({
  ...{ id: 'registerPasskey', method: 'POST', path: '/owner/passkeys', auth: 'owner_by_mail', area },
  summary: 'Register a passkey',
  notes:
    'The first one within ten minutes of a login by mail; it ends all other sessions of the owner. Every other one waits ' +
    'for a signature: 202.',
  body: z.strictObject({ registration: registrationField }).meta({ id: 'RegisterPasskeyRequest' }),
  response: openedOwner,
  accepted: approvalResult,
  errors: ['ASSERTION_INVALID', 'POLICY_VIOLATION'],
});

export const removePasskeyRoute = route({
  ...{ id: 'removePasskey', method: 'DELETE', path: '/owner/passkeys/{passkeyId}', auth: 'owner', area },
  summary: 'Ask for the removal of a passkey',
  params: z.strictObject({ passkeyId: z.string().meta({ description: 'The passkey.' }) }),
  body: emptyBody(),
  bodyOptional: true,
  successStatus: 202,
  response: approvalResult,
  errors: ['NOT_FOUND', 'POLICY_VIOLATION'],
});

export const startClaimRoute = route({
  ...{ id: 'startClaim', method: 'POST', path: '/owner/claims/start', auth: 'owner', area },
  summary: 'Mail a code to the address of an agent',
  body: z.strictObject({ agentEmail: emailField() }).meta({ id: 'StartClaimRequest' }),
  response: startedOtp,
  errors: ['UPSTREAM_ERROR'],
});

export const claimRoute = route({
  ...{ id: 'claimAgent', method: 'POST', path: '/owner/claims', auth: 'owner', area },
  summary: 'Ask for the claim of an agent',
  notes:
    'Takes effect when the owner signs it. Then the agent’s sessions end, unless `keepSessions`. The owner’s own address ' +
    'needs no code within ten minutes of a login by mail.',
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
});

export const listOwnerApprovalsRoute = route({
  ...{ id: 'listOwnerApprovals', method: 'GET', path: '/owner/approvals', auth: 'owner', area },
  summary: 'What the owner can decide, and has decided',
  query: approvalQuery(queryCursor('`nextCursor` of the previous page.')),
  response: approvalPage,
  errors: [],
});

export const getOwnerApprovalRoute = route({
  ...{ id: 'getOwnerApproval', method: 'GET', path: '/owner/approvals/{approvalId}', auth: 'owner', area },
  summary: 'One approval, with the document to sign',
  params: approvalParams,
  response: approvalDetailsResult,
  errors: ['NOT_FOUND'],
});

export const approveRoute = route({
  ...{ id: 'approveRequest', method: 'POST', path: '/owner/approvals/{approvalId}/approve', auth: 'owner', area },
  summary: 'Approve with a passkey',
  notes: 'The challenge is the SHA-256 of the document. The approval may end `superseded`, without effect.',
  params: approvalParams,
  body: assertionBody,
  response: approvalResult,
  errors: ['NOT_FOUND', 'ASSERTION_INVALID', 'APPROVAL_CLOSED', 'POLICY_VIOLATION'],
});

export const rejectRoute = route({
  ...{ id: 'rejectRequest', method: 'POST', path: '/owner/approvals/{approvalId}/reject', auth: 'owner', area },
  summary: 'Reject, without a signature',
  params: approvalParams,
  body: emptyBody(),
  bodyOptional: true,
  response: approvalResult,
  errors: ['NOT_FOUND', 'APPROVAL_CLOSED'],
});

export const ownedAgentsRoute = route({
  ...{ id: 'listOwnedAgents', method: 'GET', path: '/owner/agents', auth: 'owner', area },
  summary: 'The agents of the owner',
  response: ownedAgents,
  errors: [],
});

export const ownedPolicyRoute = route({
  ...{ id: 'updateOwnedPolicy', method: 'PATCH', path: '/owner/agents/{agentId}/policy', auth: 'owner', area },
  summary: 'Change the policy of an agent',
  notes: 'A change that only tightens is in effect at once. Any other waits for a signature: 202.',
  params: agentParams,
  body: policyChanges,
  response: policyUpdateResult,
  accepted: approvalResult,
  errors: ['NOT_FOUND', 'INVALID_ADDRESS', 'POLICY_VIOLATION'],
});

export const evictAgentRoute = route({
  ...{ id: 'endAgentSessions', method: 'POST', path: '/owner/agents/{agentId}/evict', auth: 'owner', area },
  summary: 'End every session of an agent',
  notes: 'What waits for an approval becomes void. After a 503 the sessions have ended, and those operations follow.',
  params: agentParams,
  body: emptyBody(),
  bodyOptional: true,
  response: z.strictObject({ ended: count('Sessions that ended.') }).meta({ id: 'EvictedAgent' }),
  errors: ['NOT_FOUND'],
});

export const freezeRoute = route({
  ...{ id: 'freezeAgent', method: 'POST', path: '/owner/agents/{agentId}/freeze', auth: 'owner', area },
  summary: 'Stop everything that would move money of an agent',
  params: agentParams,
  body: emptyBody(),
  bodyOptional: true,
  response: z
    .strictObject({ changed: z.boolean().meta({ description: 'Whether it was not frozen by its owner before.' }) })
    .meta({ id: 'FrozenAgent' }),
  errors: ['NOT_FOUND'],
});

export const unfreezeRoute = route({
  ...{ id: 'unfreezeAgent', method: 'POST', path: '/owner/agents/{agentId}/unfreeze', auth: 'owner', area },
  summary: 'Ask for the end of the owner’s freeze',
  notes: 'A freeze by the operator stays.',
  params: agentParams,
  body: emptyBody(),
  bodyOptional: true,
  successStatus: 202,
  response: approvalResult,
  errors: ['NOT_FOUND', 'POLICY_VIOLATION'],
});

/** In the order of the documents. */
export const OWNER_ROUTES = [
  startOwnerLoginRoute,
  completeOwnerLoginRoute,
  ownerLoginChallengeRoute,
  passkeyLoginRoute,
  endOwnerSessionRoute,
  ownerRoute,
  passkeyOptionsRoute,
  registerPasskeyRoute,
  removePasskeyRoute,
  startClaimRoute,
  claimRoute,
  listOwnerApprovalsRoute,
  getOwnerApprovalRoute,
  approveRoute,
  rejectRoute,
  ownedAgentsRoute,
  ownedPolicyRoute,
  evictAgentRoute,
  freezeRoute,
  unfreezeRoute,
];
