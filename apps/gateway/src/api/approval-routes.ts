import { approvalDetails, approvalResponse, showApprovalPage } from '../application/responses/approval-response.js';
import { proposedChange, readApprovalId, readApprovalQuery } from './owners/owner-input.js';
import { z } from 'zod';
import {
  APPROVAL_EXAMPLE,
  approvalDetailsResult,
  approvalPage,
  approvalParams,
  approvalQuery,
  approvalResult,
} from './schemas/approval-records.js';
import { emptyBody, queryCursor, textField } from './schemas/fields.js';
import { policyChanges } from './schemas/policy-fields.js';
import { defineRoute } from './route.js';

/** Approvals that an agent requests from its owner. */

const ofAgent = { auth: 'bearer', area: 'Policy', needsOwners: true } as const;

export const proposeRoute = defineRoute(
  {
    ...ofAgent,
    id: 'proposePolicyChange',
    tool: true,
    method: 'POST',
    path: '/wallets/me/policy/proposals',
    scope: 'propose',
    summary: 'Propose a change to the owner',
    notes:
      'For an agent that an owner has claimed (`claimed`); ask the user of any other to change the policy. The owner ' +
      'sees each field before and after, and your note. An equal pending proposal is answered again; at most 5 are pending, and 50 are made in 24 hours.',
    body: z
      .strictObject({
        changes: policyChanges,
        note: textField(256, 'Why, for the owner to read.').optional(),
      })
      .meta({ id: 'PolicyProposalRequest' }),
    successStatus: 202,
    response: approvalResult,
    errors: ['INVALID_ADDRESS', 'POLICY_VIOLATION'],
    example: {
      request: { changes: { dailyLimitInUsd: 900 }, note: 'Rent is due.' },
      response: { approval: APPROVAL_EXAMPLE },
    },
  },
  async ({ input: { body }, caller: { agentId } }, { services: { owners } }) => {
    const value = proposedChange(body.changes, { agentId, ownerId: '', note: body.note ?? '' });
    const approval = await owners.request({ $case: 'policy', value });
    return { statusCode: 202, message: 'The owner was asked.', data: { approval: approvalResponse(approval) } };
  },
);

export const listApprovalsRoute = defineRoute(
  {
    ...ofAgent,
    id: 'listApprovals',
    tool: true,
    method: 'GET',
    path: '/wallets/me/approvals',
    summary: 'List approvals requested from the owner',
    query: approvalQuery(queryCursor('`nextCursor` of the previous page.')),
    response: approvalPage,
    errors: [],
  },
  async ({ input: { query }, caller: { agentId: value } }, { services: { owners } }) => {
    const page = await owners.approvals({ $case: 'agentId', value }, readApprovalQuery(query));
    return { data: showApprovalPage(page) };
  },
);

export const getApprovalRoute = defineRoute(
  {
    ...ofAgent,
    id: 'getApproval',
    method: 'GET',
    path: '/wallets/me/approvals/{approvalId}',
    summary: 'Get an approval and the document to sign',
    params: approvalParams,
    response: approvalDetailsResult,
    errors: ['NOT_FOUND'],
  },
  async ({ input: { params }, caller: { agentId: value } }, { services: { owners } }) => {
    const approval = await owners.approval(readApprovalId(params), { $case: 'agentId', value });
    return { data: approvalDetails(approval) };
  },
);

export const withdrawApprovalRoute = defineRoute(
  {
    ...ofAgent,
    id: 'withdrawApproval',
    method: 'POST',
    path: '/wallets/me/approvals/{approvalId}/withdraw',
    scope: 'propose',
    summary: 'Withdraw your own pending approval',
    params: approvalParams,
    body: emptyBody(),
    bodyOptional: true,
    response: approvalResult,
    errors: ['NOT_FOUND', 'APPROVAL_CLOSED'],
  },
  async ({ input: { params }, caller: { agentId: value } }, { services: { owners } }) => {
    const approval = await owners.close(readApprovalId(params), { $case: 'agentId', value });
    return { message: 'The request for approval was withdrawn.', data: { approval: approvalResponse(approval) } };
  },
);
