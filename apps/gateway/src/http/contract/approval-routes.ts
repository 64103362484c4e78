import { z } from 'zod';
import {
  APPROVAL_EXAMPLE,
  approvalDetailsResult,
  approvalPage,
  approvalParams,
  approvalQuery,
  approvalResult,
} from './approval-records.js';
import { emptyBody, queryCursor, textField } from './fields.js';
import { policyChanges } from './policy-fields.js';
import { route } from './route.js';

/** What an agent asks its owner for. */

const ofAgent = { auth: 'bearer', area: 'Policy', needsOwners: true } as const;

export const proposeRoute = route({
  ...ofAgent,
  id: 'proposePolicyChange',
  method: 'POST',
  path: '/wallets/me/policy/proposals',
  summary: 'Propose a change to the owner',
  notes:
    'For an agent that an owner has claimed. The owner sees each field before and after, and your note. An equal pending ' +
    'proposal is answered again; at most 5 are pending, and 50 are made in 24 hours.',
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
    request: '{"changes":{"dailyLimitInUsd":900},"note":"Rent is due."}',
    response: `{"approval":${APPROVAL_EXAMPLE}}`,
  },
});

export const listApprovalsRoute = route({
  ...ofAgent,
  id: 'listApprovals',
  method: 'GET',
  path: '/wallets/me/approvals',
  summary: 'What the owner was asked',
  query: approvalQuery(queryCursor('`nextCursor` of the previous page.')),
  response: approvalPage,
  errors: [],
});

export const getApprovalRoute = route({
  ...ofAgent,
  id: 'getApproval',
  method: 'GET',
  path: '/wallets/me/approvals/{approvalId}',
  summary: 'One, with what the owner signs',
  params: approvalParams,
  response: approvalDetailsResult,
  errors: ['NOT_FOUND'],
});

export const withdrawApprovalRoute = route({
  ...ofAgent,
  id: 'withdrawApproval',
  method: 'POST',
  path: '/wallets/me/approvals/{approvalId}/withdraw',
  summary: 'Withdraw an own proposal or operation',
  params: approvalParams,
  body: emptyBody(),
  bodyOptional: true,
  response: approvalResult,
  errors: ['NOT_FOUND', 'APPROVAL_CLOSED'],
});
