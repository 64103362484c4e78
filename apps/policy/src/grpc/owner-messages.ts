import { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import type { Owned } from '../domain/owners/owned.js';
import type { ApprovalPage } from '../application/owners/decide-approvals.js';
import type { Claim, Proposal } from '../application/owners/request-approval.js';
import type { OverruledOwners } from '../application/owners/overrule-owners.js';
import type { MemberChange } from '../application/owners/request-member.js';
import type { Approval, ApprovalKind, ApprovalState, OverruledAct, Viewer } from '../domain/owners/approval.js';
import type { OperationApproval } from '../ports/operation-approval-store.js';
import type { AgentOverview, OwnedAgent, Passkey } from '../ports/owner-store.js';
import { askingSession } from './asking-session.js';
import { freezesMessage, toPolicyChange, readUuid } from './messages.js';

const { ApprovalKind: Kind, ApprovalState: State } = policyV1;

const KINDS: Readonly<Record<ApprovalKind, policyV1.ApprovalKind>> = {
  claim: Kind.APPROVAL_KIND_CLAIM,
  policy: Kind.APPROVAL_KIND_POLICY,
  passkey: Kind.APPROVAL_KIND_PASSKEY,
  unfreeze: Kind.APPROVAL_KIND_UNFREEZE,
  operation: Kind.APPROVAL_KIND_OPERATION,
  objection: Kind.APPROVAL_KIND_OBJECTION,
  recovery: Kind.APPROVAL_KIND_RECOVERY,
  member: Kind.APPROVAL_KIND_MEMBER,
  token: Kind.APPROVAL_KIND_TOKEN,
};

const STATES: Readonly<Record<ApprovalState, policyV1.ApprovalState>> = {
  pending: State.APPROVAL_STATE_PENDING,
  applied: State.APPROVAL_STATE_APPLIED,
  rejected: State.APPROVAL_STATE_REJECTED,
  withdrawn: State.APPROVAL_STATE_WITHDRAWN,
  expired: State.APPROVAL_STATE_EXPIRED,
  superseded: State.APPROVAL_STATE_SUPERSEDED,
  approved: State.APPROVAL_STATE_APPROVED,
  used: State.APPROVAL_STATE_USED,
  void: State.APPROVAL_STATE_VOID,
};

/** Converts an approval to its wire form. */
export function approvalMessage(approval: Approval): policyV1.Approval {
  const { id, kind, state, agentId = '', ownerId, document, votes, threshold } = approval;
  return {
    approvalId: id,
    kind: KINDS[kind],
    state: STATES[state],
    agentId,
    ownerId,
    document,
    votes,
    threshold,
    askedAtMs: BigInt(approval.askedAtMs),
    expiresAtMs: BigInt(approval.expiresAtMs),
    decidedAtMs: BigInt(approval.decidedAtMs ?? 0),
    effectiveAtMs: BigInt(approval.effectiveAtMs ?? 0),
  };
}

/** Converts a page of approvals to its wire form. */
export function approvalsMessage({ approvals, nextCursor = '' }: ApprovalPage): policyV1.ListApprovalsResponse {
  return { approvals: approvals.map(approvalMessage), nextCursor };
}

/** Reads a state; undefined for every state. @throws AppError VALIDATION_ERROR */
export function readState(state: policyV1.ApprovalState): ApprovalState | undefined {
  if (state === State.APPROVAL_STATE_UNSPECIFIED) return undefined;
  const named = Object.entries(STATES).find(([, wire]) => wire === state);
  if (!named) throw AppError.field('state', 'must be a state of approvals');
  return named[0] as ApprovalState;
}

type WireViewer =
  | { readonly $case: 'agentId'; readonly value: string }
  | { readonly $case: 'ownerId'; readonly value: string };

/** Reads the agent or owner who reads or closes an approval. @throws AppError VALIDATION_ERROR */
export function readViewer(viewer: WireViewer | undefined): Viewer {
  if (!viewer) throw AppError.field('viewer', 'is required', 'required');
  return viewer.$case === 'agentId'
    ? { agentId: readUuid('agentId', viewer.value) }
    : { ownerId: readUuid('ownerId', viewer.value) };
}

/** Reads an agent and its owner. @throws AppError VALIDATION_ERROR */
export function readOwned({ agentId, ownerId }: policyV1.FreezeAgentRequest): Owned {
  return { agentId: readUuid('agentId', agentId), ownerId: readUuid('ownerId', ownerId) };
}

/** Reads a claim. @throws AppError VALIDATION_ERROR */
export function readClaim({
  agentId,
  ownerId,
  keepSessions,
  holdsNothing,
  wallet,
  email,
}: policyV1.ClaimRequest): Claim {
  if (!isAddress(wallet)) throw AppError.field('wallet', 'must be the base58 address of a wallet');
  return {
    agentId: readUuid('agentId', agentId),
    ownerId: readUuid('ownerId', ownerId),
    keepsSessions: keepSessions,
    holdsNothing,
    wallet,
    email,
  };
}

/** Reads an owner who joins or leaves. @throws AppError VALIDATION_ERROR */
export function readMember({ agentId, ownerId, memberId, email, leaves }: policyV1.MemberRequest): MemberChange {
  return {
    agentId: readUuid('agentId', agentId),
    ownerId: readUuid('ownerId', ownerId),
    memberId: readUuid('memberId', memberId),
    email,
    leaves,
  };
}

const ACTS: Readonly<Record<OverruledAct, policyV1.OverruledAct>> = {
  release: policyV1.OverruledAct.OVERRULED_ACT_RELEASE,
  unfreeze: policyV1.OverruledAct.OVERRULED_ACT_UNFREEZE,
};

/** Reads an operator's act against the owners of an agent. @throws AppError VALIDATION_ERROR */
export function readOverruled(request: policyV1.OverruleOwnersRequest): OverruledOwners {
  const named = Object.entries(ACTS).find(([, wire]) => wire === request.act);
  if (!named) throw AppError.field('act', 'must be release or unfreeze');
  const { operator, reason } = request;
  return { agentId: readUuid('agentId', request.agentId), act: named[0] as OverruledAct, operator, reason };
}

/** Reads a proposed change of a policy. @throws AppError VALIDATION_ERROR */
export function readProposal({ agentId, ownerId, note, ...fields }: policyV1.PolicyChangeRequest): Proposal {
  return {
    agentId: readUuid('agentId', agentId),
    ownerId: ownerId === '' ? undefined : readUuid('ownerId', ownerId),
    note,
    change: toPolicyChange(fields),
    session: askingSession(),
  };
}

/** Passkeys on the wire. */
export function passkeysMessage(passkeys: readonly Passkey[]): policyV1.ListPasskeysResponse {
  return {
    passkeys: passkeys.map(({ credentialId, addedAtMs }) => ({ credentialId, addedAtMs: BigInt(addedAtMs) })),
  };
}

/** Approvals of operations on the wire. */
export function statesMessage(approvals: readonly OperationApproval[]): policyV1.GetApprovalStatesResponse {
  return {
    approvals: approvals.map(({ id, state, expiresAtMs }) => ({
      approvalId: id,
      state: STATES[state],
      expiresAtMs: BigInt(expiresAtMs),
    })),
  };
}

/** Agents on the wire. */
export function agentsMessage(agents: readonly OwnedAgent[]): policyV1.ListAgentsResponse {
  return { agents: agents.map(ownedAgent) };
}

/** Converts an agent to its wire form, with all that its page shows. */
export function agentMessage({
  agent,
  freezes,
  recipients,
  counted,
  owners,
}: AgentOverview): policyV1.GetAgentResponse {
  return {
    agent: ownedAgent(agent),
    freezes: freezesMessage(freezes),
    recipients: recipients.map(({ address, firstSettledAtMs = 0, trustedAtMs = 0, signed }) => ({
      address,
      firstSettledAtMs: BigInt(firstSettledAtMs),
      trustedAtMs: BigInt(trustedAtMs),
      trust: signed?.trust ?? '',
      signedAtMs: BigInt(signed?.atMs ?? 0),
      dailyMint: signed?.daily?.mint ?? '',
      dailyAmount: signed?.daily?.amount ?? '',
    })),
    counted: counted.map(({ countedSinceMs, leavesAtMs, usdMicros }) => ({
      countedSinceMs: BigInt(countedSinceMs),
      leavesAtMs: BigInt(leavesAtMs),
      usdMicros,
    })),
    owners: owners.map(({ ownerId, sinceMs }) => ({ ownerId, sinceMs: BigInt(sinceMs) })),
  };
}

function ownedAgent({ sinceMs, ...agent }: OwnedAgent): policyV1.OwnedAgent {
  return { ...agent, sinceMs: BigInt(sinceMs) };
}
