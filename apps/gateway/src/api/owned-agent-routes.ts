import { policyV1 } from '@agent-wallet/contracts';
import { approvalDetails, approvalResponse, showApprovalPage } from '../application/responses/approval-response.js';
import { ownedAgentResponse } from '../application/responses/owned-agent-response.js';
import { policyInForce } from '../application/responses/policy-response.js';
import { proposedChange, readAgentId, readApprovalId, readApprovalQuery, readTokenId } from './owners/owner-input.js';
import { assertionJson } from './owners/passkey-json.js';
import { z } from 'zod';
import {
  approvalDetailsResult,
  approvalPage,
  approvalParams,
  approvalQuery,
  approvalResult,
} from './schemas/approval-records.js';
import { CONNECTION_ROUTES, connectionIdField, redirectField } from './connection-routes.js';
import { CLAIM_ROUTES } from './claim-routes.js';
import { ownedAgentParams as agentParams, OWNED_AGENT_READS } from './owned-agent-reads.js';
import { emptyBody, queryCursor } from './schemas/fields.js';
import { assertionField, ownedAgents } from './schemas/owner-records.js';
import { policyChanges } from './schemas/policy-fields.js';
import { policyResult } from './schemas/policy-records.js';
import { defineRoute } from './route.js';
import { count } from './schemas/units.js';
import { endTokenRoute, openTokenRoute, readGrant } from './token-routes.js';

/** Approvals, and what owners do to their agents. */

const trustField = z.enum(['once', 'daily_amount', 'always']).meta({
  description:
    '`once`: nothing. `daily_amount`: up to the signed amount of the same token in any 24 hours needs no approval. ' +
    '`always`: the recipient is known.',
});

const assertionBody = z
  .strictObject({
    assertion: assertionField,
    connectionId: connectionIdField()
      .optional()
      .meta({ description: 'Of a token: the app that gets it. The response then has no secret.' }),
  })
  .meta({ id: 'AssertionRequest' });

const area = 'Owners';

const listOwnerApprovalsRoute = defineRoute(
  {
    id: 'listOwnerApprovals',
    method: 'GET',
    path: '/owner/approvals',
    auth: 'owner_by_mail',
    area,
    summary: 'List approvals of the owner',
    query: approvalQuery(queryCursor('`nextCursor` of the previous page.')),
    response: approvalPage,
    errors: [],
  },
  async ({ input: { query }, caller: { owner } }, { services: { owners } }) => {
    const page = await owners.approvals({ $case: 'ownerId', value: owner.id }, readApprovalQuery(query));
    return { data: showApprovalPage(page) };
  },
);

const getOwnerApprovalRoute = defineRoute(
  {
    id: 'getOwnerApproval',
    method: 'GET',
    path: '/owner/approvals/{approvalId}',
    auth: 'owner_by_mail',
    area,
    summary: 'Get an approval and the document to sign',
    params: approvalParams,
    response: approvalDetailsResult,
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller: { owner } }, { services: { owners } }) => {
    const approval = await owners.approval(readApprovalId(params), { $case: 'ownerId', value: owner.id });
    return { data: approvalDetails(approval) };
  },
);

const approveRoute = defineRoute(
  {
    id: 'approveRequest',
    method: 'POST',
    path: '/owner/approvals/{approvalId}/approve',
    auth: 'owner',
    area,
    summary: 'Approve with a passkey',
    notes: 'The challenge is the SHA-256 of the document. The approval may end `superseded`, without effect.',
    params: approvalParams,
    body: assertionBody,
    response: approvalResult
      .extend({
        sessionToken: z.string().optional().meta({ description: 'Of a token: its secret. It is shown once.' }),
        redirectTo: redirectField().optional(),
      })
      .meta({ id: 'Approved' }),
    errors: ['NOT_FOUND', 'ASSERTION_INVALID', 'APPROVAL_CLOSED', 'POLICY_VIOLATION'],
  },
  async ({ input: { params, body }, caller: { owner }, facts }, { voteOnApproval, manageTokens, decideConnection }) => {
    const { connectionId } = body;
    // Before the signature is used: a token that no app gets would stay.
    if (connectionId !== undefined) await decideConnection.find(connectionId, facts.begunConnections ?? []);
    const assertion = assertionJson(body.assertion);
    const approval = await voteOnApproval.approve(readApprovalId(params), owner.id, assertion);
    const { approvalId: tokenId, agentId } = approval;
    const shown = approvalResponse(approval);
    if (!opensToken(approval)) return { message: 'Signed.', data: { approval: shown } };
    const key = { agentId, tokenId };
    const issued =
      connectionId === undefined
        ? { sessionToken: await manageTokens.issue(key) }
        : { redirectTo: await decideConnection.grant(connectionId, key) };
    return { message: 'Signed.', data: { approval: shown, ...issued } };
  },
);

/** Returns whether a decided approval has opened a token, whose id is its own. */
function opensToken({ kind, state }: policyV1.Approval): boolean {
  const { APPROVAL_KIND_TOKEN } = policyV1.ApprovalKind;
  return kind === APPROVAL_KIND_TOKEN && state === policyV1.ApprovalState.APPROVAL_STATE_APPLIED;
}

const chooseTrustRoute = defineRoute(
  {
    id: 'chooseTrust',
    method: 'POST',
    path: '/owner/approvals/{approvalId}/trust',
    auth: 'owner',
    area,
    summary: 'Choose what signing a payment says of later payments to its recipient',
    notes: 'Replaces the document of a pending payment. Only the document in the answer can be signed from then on.',
    params: approvalParams,
    body: z.strictObject({ trust: trustField }).meta({ id: 'TrustRequest' }),
    response: approvalDetailsResult,
    errors: ['NOT_FOUND', 'APPROVAL_CLOSED', 'POLICY_VIOLATION'],
  },
  async ({ input: { params, body }, caller: { owner } }, { services: { owners } }) => {
    const approvalId = readApprovalId(params);
    const approval = await owners.chooseTrust({ approvalId, ownerId: owner.id, trust: body.trust });
    return { message: 'Sign the new document.', data: approvalDetails(approval) };
  },
);

const forgetRecipientRoute = defineRoute(
  {
    id: 'forgetRecipient',
    method: 'DELETE',
    path: '/owner/agents/{agentId}/recipients/{address}',
    auth: 'owner_by_mail',
    area,
    summary: 'Forget a recipient: it is as new from then on',
    params: agentParams.extend({ address: z.string().meta({ description: 'The recipient.' }) }),
    body: emptyBody(),
    bodyOptional: true,
    response: z
      .strictObject({ changed: z.boolean().meta({ description: 'Whether it was not forgotten before.' }) })
      .meta({ id: 'ForgottenRecipient' }),
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller: { owner } }, { services: { owners } }) => {
    const request = { agentId: readAgentId(params), ownerId: owner.id, address: params.address };
    return { message: 'The recipient is as new.', data: { changed: await owners.forgetRecipient(request) } };
  },
);

const rejectRoute = defineRoute(
  {
    id: 'rejectRequest',
    method: 'POST',
    path: '/owner/approvals/{approvalId}/reject',
    auth: 'owner_by_mail',
    area,
    summary: 'Reject without a signature',
    notes: 'Takes back an approved payment, trade or addition that has not begun yet, too.',
    params: approvalParams,
    body: emptyBody(),
    bodyOptional: true,
    response: approvalResult,
    errors: ['NOT_FOUND', 'APPROVAL_CLOSED'],
  },
  async ({ input: { params }, caller: { owner } }, { services: { owners } }) => {
    const approval = await owners.close(readApprovalId(params), { $case: 'ownerId', value: owner.id });
    return { message: 'Rejected.', data: { approval: approvalResponse(approval) } };
  },
);

const ownedAgentsRoute = defineRoute(
  {
    id: 'listOwnedAgents',
    method: 'GET',
    path: '/owner/agents',
    auth: 'owner_by_mail',
    area,
    summary: 'List the agents of the owner',
    response: ownedAgents,
    errors: [],
  },
  async ({ caller: { owner } }, { manageOwnedAgent }) => {
    const agents = await manageOwnedAgent.list(owner.id);
    return { data: { agents: agents.map(ownedAgentResponse) } };
  },
);

const ownedPolicyRoute = defineRoute(
  {
    id: 'updateOwnedPolicy',
    method: 'PATCH',
    path: '/owner/agents/{agentId}/policy',
    auth: 'owner_by_mail',
    area,
    summary: 'Change the policy of an agent',
    notes:
      'A change that only tightens is in effect at once. Any other waits for a signature, 202, and needs a session by passkey.',
    params: agentParams,
    body: policyChanges,
    response: policyResult,
    accepted: approvalResult,
    errors: ['NOT_FOUND', 'INVALID_ADDRESS', 'POLICY_VIOLATION'],
  },
  async ({ input: { params, body }, caller: { owner, authenticatedBy } }, { manageOwnedAgent }) => {
    const change = proposedChange(body, { agentId: readAgentId(params), ownerId: owner.id, note: '' });
    const { policy, approval } = await manageOwnedAgent.changePolicy(change, authenticatedBy);
    if (approval) {
      const message = 'The change loosens the policy. Sign the approval to put it into effect.';
      return { statusCode: 202, message, data: { approval: approvalResponse(approval) } };
    }
    return { message: 'The policy is in effect.', data: policyInForce(policy) };
  },
);

const evictAgentRoute = defineRoute(
  {
    id: 'endAgentSessions',
    method: 'POST',
    path: '/owner/agents/{agentId}/evict',
    auth: 'owner_by_mail',
    area,
    summary: 'End every session of an agent',
    notes: 'What waits for an approval becomes void. After a 503 the sessions have ended, and those operations follow.',
    params: agentParams,
    body: emptyBody(),
    bodyOptional: true,
    response: z.strictObject({ ended: count('Sessions that ended.') }).meta({ id: 'EvictedAgent' }),
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller: { owner } }, { manageOwnedAgent }) => {
    const ended = await manageOwnedAgent.evict(owner.id, readAgentId(params));
    return { message: 'The agent’s sessions have ended.', data: { ended } };
  },
);

const openOwnedTokenRoute = defineRoute(
  {
    id: 'openOwnedToken',
    method: 'POST',
    path: '/owner/agents/{agentId}/tokens',
    auth: 'owner',
    area,
    summary: 'Request a scoped token of an agent',
    notes: 'The answer to your signature has its secret. As every token it is never wider than the policy.',
    params: agentParams,
    body: openTokenRoute.body,
    successStatus: 202,
    response: approvalResult,
    errors: ['NOT_FOUND', 'POLICY_VIOLATION'],
  },
  async ({ input: { params, body }, caller: { owner } }, { services: { owners }, clock }) => {
    const value = { agentId: readAgentId(params), ownerId: owner.id, grant: readGrant(body, clock.nowMs()) };
    const approval = await owners.request({ $case: 'token', value });
    return {
      statusCode: 202,
      message: 'Sign the approval to open the token.',
      data: { approval: approvalResponse(approval) },
    };
  },
);

const endOwnedTokenRoute = defineRoute(
  {
    id: 'endOwnedToken',
    method: 'DELETE',
    path: '/owner/agents/{agentId}/tokens/{tokenId}',
    auth: 'owner_by_mail',
    area,
    summary: 'End a scoped token of an agent',
    notes: endTokenRoute.notes,
    params: agentParams.extend(endTokenRoute.params.shape),
    body: emptyBody(),
    bodyOptional: true,
    response: endTokenRoute.response,
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller: { owner } }, { manageOwnedAgent, manageTokens }) => {
    const agentId = readAgentId(params);
    await manageOwnedAgent.assertOwned(owner.id, agentId);
    await manageTokens.end({ agentId, tokenId: readTokenId(params) });
    return { message: 'The token has ended.', data: { ended: true } };
  },
);

const freezeRoute = defineRoute(
  {
    id: 'freezeAgent',
    method: 'POST',
    path: '/owner/agents/{agentId}/freeze',
    auth: 'owner_by_mail',
    area,
    summary: 'Freeze an agent: stop everything that moves its money',
    params: agentParams,
    body: emptyBody(),
    bodyOptional: true,
    response: z
      .strictObject({ changed: z.boolean().meta({ description: 'Whether it was not frozen by its owner before.' }) })
      .meta({ id: 'FrozenAgent' }),
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller: { owner } }, { manageOwnedAgent }) => {
    const changed = await manageOwnedAgent.freeze(owner.id, readAgentId(params));
    return { message: 'The agent is frozen.', data: { changed } };
  },
);

const unfreezeRoute = defineRoute(
  {
    id: 'unfreezeAgent',
    method: 'POST',
    path: '/owner/agents/{agentId}/unfreeze',
    auth: 'owner',
    area,
    summary: 'Request the end of the owner’s freeze',
    notes: 'A freeze by the operator stays.',
    params: agentParams,
    body: emptyBody(),
    bodyOptional: true,
    successStatus: 202,
    response: approvalResult,
    errors: ['NOT_FOUND', 'POLICY_VIOLATION'],
  },
  async ({ input: { params }, caller: { owner } }, { manageOwnedAgent }) => {
    const approval = await manageOwnedAgent.unfreeze(owner.id, readAgentId(params));
    const message = 'Sign the approval to end the freeze.';
    return { statusCode: 202, message, data: { approval: approvalResponse(approval) } };
  },
);

/** In the order of the documents. */
export const OWNED_AGENT_ROUTES = [
  ...CLAIM_ROUTES,
  ...CONNECTION_ROUTES,
  listOwnerApprovalsRoute,
  getOwnerApprovalRoute,
  approveRoute,
  chooseTrustRoute,
  rejectRoute,
  ownedAgentsRoute,
  ...OWNED_AGENT_READS,
  forgetRecipientRoute,
  ownedPolicyRoute,
  evictAgentRoute,
  openOwnedTokenRoute,
  endOwnedTokenRoute,
  freezeRoute,
  unfreezeRoute,
];
