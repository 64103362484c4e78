import { policyChangeMessage, policyV1 } from '@agent-wallet/contracts';
import { AppError, isUuid, notFound, POLICY_FIELD_LIST, type PolicyValues } from '@agent-wallet/kernel';
import { STATES } from '../../application/responses/approval-response.js';
import type { ApprovalQuery, ProposedChange } from '../../ports/owners-service.js';
import type { APPROVAL_STATES } from '../schemas/approval-records.js';
import type { PolicyChangeInput } from '../schemas/policy-fields.js';

/** Reads the id of an approval in a path. @throws AppError NOT_FOUND for what cannot be an id */
export const readApprovalId = ({ approvalId }: { readonly approvalId: string }) =>
  readId('approval', approvalId, 'Check its id.');

/** Reads the id of an agent in a path. @throws AppError NOT_FOUND for what cannot be an id */
export const readAgentId = ({ agentId }: { readonly agentId: string }) => readId('agent', agentId, 'Check its id.');

/** Reads the id of a scoped token in a path. @throws AppError NOT_FOUND for what cannot be an id */
export const readTokenId = ({ tokenId }: { readonly tokenId: string }) =>
  readId('token', tokenId, 'List the tokens again.');

function readId(resource: string, id: string, hint: string): string {
  if (!isUuid(id.toLowerCase())) throw notFound(resource, hint);
  return id.toLowerCase();
}

/** Reads the filter and the page of a list of approvals. */
export function readApprovalQuery(query: {
  readonly state?: (typeof APPROVAL_STATES)[number] | undefined;
  readonly cursor: string;
  readonly limit: number;
}): ApprovalQuery {
  const { APPROVAL_STATE_UNSPECIFIED } = policyV1.ApprovalState;
  const { state, cursor, limit } = query;
  return { state: state ? STATES[state] : APPROVAL_STATE_UNSPECIFIED, cursor, limit };
}

/** Returns a change of a policy with its proposer and note. */
export function proposedChange(
  changes: PolicyChangeInput,
  by: Pick<ProposedChange, 'agentId' | 'ownerId' | 'note'>,
): ProposedChange {
  return { ...by, ...changedFields(changes) };
}

/** Returns the fields of a change, as policy takes them. */
export function changedFields(changes: PolicyChangeInput): ReturnType<typeof policyChangeMessage> {
  const fields = POLICY_FIELD_LIST.map(({ key, name }) => [key, changes[name]]);
  return policyChangeMessage(Object.fromEntries(fields) as Partial<PolicyValues>);
}

/** Reads the code of a claim: its id and its digits, or neither. @throws AppError VALIDATION_ERROR */
export function readClaimOtp({
  otpId,
  otpCode,
}: {
  readonly otpId?: string | undefined;
  readonly otpCode?: string | undefined;
}) {
  if (otpId === undefined && otpCode === undefined) return undefined;
  if (otpId === undefined) throw AppError.field('otpId', 'is required', 'required');
  if (otpCode === undefined) throw AppError.field('otpCode', 'is required', 'required');
  return { otpId: otpId.toLowerCase(), code: otpCode };
}
