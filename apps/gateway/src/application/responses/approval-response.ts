import { policyV1 } from '@agent-wallet/contracts';
import { type ExactJson, isoTime, textNumber } from './exact-json.js';

const { ApprovalKind: Kind, ApprovalState: State } = policyV1;

const KINDS: Readonly<Record<number, string>> = {
  [Kind.APPROVAL_KIND_CLAIM]: 'claim',
  [Kind.APPROVAL_KIND_POLICY]: 'policy',
  [Kind.APPROVAL_KIND_PASSKEY]: 'passkey',
  [Kind.APPROVAL_KIND_UNFREEZE]: 'unfreeze',
  [Kind.APPROVAL_KIND_OPERATION]: 'operation',
  [Kind.APPROVAL_KIND_OBJECTION]: 'objection',
  [Kind.APPROVAL_KIND_RECOVERY]: 'recovery',
  [Kind.APPROVAL_KIND_MEMBER]: 'member',
  [Kind.APPROVAL_KIND_TOKEN]: 'token',
};

/** Kinds whose terms are texts alone, beside operations. */
const WITH_TERMS: ReadonlySet<number> = new Set([
  Kind.APPROVAL_KIND_OBJECTION,
  Kind.APPROVAL_KIND_RECOVERY,
  Kind.APPROVAL_KIND_MEMBER,
  Kind.APPROVAL_KIND_TOKEN,
]);

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

/** Returns an approval in its public form. */
export function approvalResponse(approval: policyV1.Approval): ExactJson {
  const { approvalId: id, kind, state, agentId, votes, threshold } = approval;
  return {
    id,
    kind: KINDS[kind] ?? 'unknown',
    subject: subjectOf(approval),
    state: Object.entries(STATES).find(([, wire]) => wire === state)?.[0] ?? 'unknown',
    agentId: agentId || null,
    votes,
    threshold,
    askedAt: isoTime(approval.askedAtMs),
    expiresAt: isoTime(approval.expiresAtMs),
    decidedAt: approval.decidedAtMs === 0n ? null : isoTime(approval.decidedAtMs),
    effectiveAt: approval.effectiveAtMs === 0n ? null : isoTime(approval.effectiveAtMs),
  };
}

/** The fields of a document that say what it is about; policy writes it as texts, lists and objects of them. */
interface Document {
  readonly operation?: string;
  readonly action?: string;
  readonly valueUsd?: string;
  readonly reasons?: readonly string[];
  readonly terms?: {
    readonly changes?: Readonly<Record<string, { readonly before: ExactJson; readonly after: ExactJson }>>;
    readonly note?: string;
    readonly keepSessions?: string;
    readonly delayHours?: string;
  };
}

/** Returns what an approval is about. Who signs reads the document itself. */
function subjectOf({ kind, document }: policyV1.Approval): ExactJson {
  const { operation, action, valueUsd, reasons, terms } = JSON.parse(document.toString()) as Document;
  const { changes = {}, note, keepSessions, delayHours } = terms ?? {};
  return {
    transactionId: operation ?? null,
    action: action ?? null,
    valueUsd: valueUsd === undefined ? null : textNumber(valueUsd),
    reasons: [...(reasons ?? [])],
    terms: operation === undefined && !WITH_TERMS.has(kind) ? null : (terms ?? {}),
    changes: Object.entries(changes).map(([field, { before, after }]) => ({ field, before, after })),
    note: note ?? null,
    keepSessions: keepSessions === undefined ? null : keepSessions === 'true',
    delayHours: delayHours === undefined ? null : Number(delayHours),
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
