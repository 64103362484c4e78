import { approvalResponse } from '../application/responses/approval-response.js';
import { isoTime } from '../application/responses/exact-json.js';
import { notFound, isUuid } from '@agent-wallet/kernel';
import { z } from 'zod';
import { ownedAgentParams as agentParams } from './owned-agent-reads.js';
import { readAgentId } from './owners/owner-input.js';
import { defineRoute } from './route.js';
import { approvalResult } from './schemas/approval-records.js';
import { emailField } from './schemas/email-field.js';
import { emptyBody } from './schemas/fields.js';
import { time, uuid } from './schemas/units.js';

/** Owners of an agent: all have equal rights. */

const area = 'Owners';
const SIGN = 'Sign the approval to put this into effect.';

const memberRecord = z
  .strictObject({ id: uuid(), email: z.string().nullable(), since: time() })
  .meta({ id: 'AgentOwner', description: 'An owner of an agent.' });

const listMembersRoute = defineRoute(
  {
    id: 'listAgentOwners',
    method: 'GET',
    path: '/owner/agents/{agentId}/owners',
    auth: 'owner_by_mail',
    area,
    summary: 'List the owners of an agent',
    params: agentParams,
    response: z.strictObject({ owners: z.array(memberRecord) }).meta({ id: 'AgentOwners' }),
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller: { owner } }, { manageMembers }) => {
    const members = await manageMembers.list({ agentId: readAgentId(params), ownerId: owner.id });
    const owners = members.map(({ id, email, sinceMs }) => ({ id, email: email ?? null, since: isoTime(sinceMs) }));
    return { data: { owners } };
  },
);

const addMemberRoute = defineRoute(
  {
    id: 'addAgentOwner',
    method: 'POST',
    path: '/owner/agents/{agentId}/owners',
    auth: 'owner',
    area,
    summary: 'Request that another owner joins an agent',
    notes:
      'That person has logged in as an owner and has a passkey, and signs after an owner. Then all have equal rights.',
    params: agentParams,
    body: z.strictObject({ email: emailField() }).meta({ id: 'AddOwnerRequest' }),
    successStatus: 202,
    response: approvalResult,
    errors: ['NOT_FOUND', 'POLICY_VIOLATION'],
  },
  async ({ input: { params, body }, caller: { owner } }, { manageMembers }) => {
    const approval = await manageMembers.add({ agentId: readAgentId(params), ownerId: owner.id }, body.email);
    return { statusCode: 202, message: SIGN, data: { approval: approvalResponse(approval) } };
  },
);

const removeMemberRoute = defineRoute(
  {
    id: 'removeAgentOwner',
    method: 'DELETE',
    path: '/owner/agents/{agentId}/owners/{ownerId}',
    auth: 'owner',
    area,
    summary: 'Request that an owner leaves an agent',
    notes: 'The last owner cannot leave.',
    params: agentParams.extend({ ownerId: z.string().meta({ description: 'The owner who leaves.' }) }),
    body: emptyBody(),
    bodyOptional: true,
    successStatus: 202,
    response: approvalResult,
    errors: ['NOT_FOUND', 'POLICY_VIOLATION'],
  },
  async ({ input: { params }, caller: { owner } }, { manageMembers }) => {
    const memberId = params.ownerId.toLowerCase();
    if (!isUuid(memberId)) throw notFound('owner', 'Check its id.');
    const approval = await manageMembers.remove({ agentId: readAgentId(params), ownerId: owner.id }, memberId);
    return { statusCode: 202, message: SIGN, data: { approval: approvalResponse(approval) } };
  },
);

/** Routes of an agent's owners, in the order of the documents. */
export const MEMBER_ROUTES = [listMembersRoute, addMemberRoute, removeMemberRoute];
