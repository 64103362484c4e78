import { policyV1 } from '@agent-wallet/contracts';
import { type ExactJson, isoTime } from './exact-json.js';

const { ApprovalKind: Kind, ApprovalState: State } = policyV1;

const KINDS: Readonly<Record<number, string>> = {
  [Kind.APPROVAL_KIND_CLAIM]: 'claim',
  [Kind.APPROVAL_KIND_POLICY]: 'policy',
  [Kind.APPROVAL_KIND_PASSKEY]: 'passkey',
  [Kind.APPROVAL_KIND_UNFREEZE]: 'unfreeze',
  [Kind.APPROVAL_KIND_OPERATION]: 'operation',
};

/** Names of states in public, and what policy calls them. */
export const STATES = {
  pending: State.APPROVAL_STATE_PENDING,
  applied: State.APPROVAL_STATE_APPLIED,
  rejected: State.APPROVAL_STATE_REJECTED,
  withdrawn: State.APPROVAL_STATE_WITHDRAWN,
  expired: State.APPROVAL_STATE_EXPIRED,
  superseded: State.APPROVAL_STATE_SUPERSEDED,
  approved: State.APPROVAL_STATE_APPROVED,
  used: State.APPROVAL_STATE_USED,
  void: State.APPROVAL_STATE_VOID,
} as const;

/** A state's name in a request. */
export type StateName = keyof typeof STATES;

/** Returns an approval in its public form. */
export function approvalResponse(approval: policyV1.Approval): ExactJson {
  const { approvalId: id, kind, state, agentId, votes, threshold } = approval;
  return {
    id,
    kind: KINDS[kind] ?? 'unknown',
    state: Object.entries(STATES).find(([, wire]) => wire === state)?.[0] ?? 'unknown',
    agentId: agentId || null,
    votes,
    threshold,
    askedAt: isoTime(approval.askedAtMs),
    expiresAt: isoTime(approval.expiresAtMs),
    decidedAt: approval.decidedAtMs === 0n ? null : isoTime(approval.decidedAtMs),
  };
}

/** Returns an approval with its document to sign, to the byte. */
export function approvalDetails(approval: policyV1.Approval): { approval: ExactJson; document: string } {
  return { approval: approvalResponse(approval), document: approval.document.toString() };
}

/** Returns a page of approvals. */
export function showApprovalPage({ approvals, nextCursor }: policyV1.ListApprovalsResponse) {
  return { approvals: approvals.map(approvalResponse), nextCursor: nextCursor || null };
}
