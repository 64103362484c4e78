import { AppError } from '@agent-wallet/kernel';

/** Subject of an approval. */
export type ApprovalKind =
  | 'claim'
  | 'policy'
  | 'passkey'
  | 'unfreeze'
  | 'operation'
  | 'objection'
  | 'recovery'
  | 'member'
  | 'token';

/**
 * State of an approval. `superseded`: its subject had changed before the last vote, which had no effect. An operation's
 * approval is `approved` until its value is reserved, then `used`; `void` when policy refused it nevertheless. A claim is
 * `approved` until it takes effect, and so is a recovery that an operator has confirmed. Another owner's joining is
 * `approved` until that person has signed, too. An objection that has `expired`
 * was not made: the operator's act is in effect.
 */
export type ApprovalState =
  | 'pending'
  | 'applied'
  | 'rejected'
  | 'withdrawn'
  | 'expired'
  | 'superseded'
  | 'approved'
  | 'used'
  | 'void';

/** An act of an operator against the owners of an agent. */
export type OverruledAct = 'release' | 'unfreeze';

/** A change or an operation that needs an owner's signature. */
export interface Approval {
  readonly id: string;
  readonly kind: ApprovalKind;
  /** Undefined for what concerns an owner alone. */
  readonly agentId: string | undefined;
  /** The owner who requested it; for what an agent or an operator requested, the agent's first owner. */
  readonly ownerId: string;
  /** The scoped token that asked; undefined for sessions, owners and operators. */
  readonly tokenId: string | undefined;
  /** The signed document, byte by byte. */
  readonly document: Buffer;
  readonly documentHash: Buffer;
  readonly threshold: number;
  readonly votes: number;
  readonly state: ApprovalState;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly decidedAtMs: number | undefined;
  /** Time at which a signed claim or a confirmed recovery takes effect; undefined where that was at once. */
  readonly effectiveAtMs: number | undefined;
}

/** Pending proposals of an agent and as many of its owners, claims of one owner and policy version, or an owner's passkeys. */
export const MAX_PENDING = 5;
/** Pending approvals of an agent's operations. */
export const MAX_PENDING_OPERATIONS = 20;
export const MAX_PASSKEYS = 10;
export const MAX_OWNERS = 10;
/** Time that owners have to object to an operator, and that the sessions of an owner have to reject a recovery. */
export const OPERATOR_DELAY_HOURS = 72;
/** Time in which an operator can confirm a recovery. */
export const RECOVERY_LIFETIME_HOURS = 168;
/**
 * Limit for one agent, or one owner, in a rolling 24 hours. It stops a requester from filling the table by withdrawing
 * and requesting again.
 */
export const MAX_REQUESTS_A_DAY = 50;

/** Places that are taken of those that an agent's sessions and its scoped tokens share. */
export interface TakenPlaces {
  readonly all: number;
  /** Places of the scoped token that asks for one more; undefined where a session or an owner does. */
  readonly byToken: number | undefined;
}

/**
 * Returns whether one more place can be taken. After the request of a scoped token, at least as many places are free as
 * the token holds. So no number of tokens takes the last place of the agent's sessions, and each leaves places to the next.
 */
export function hasPlace({ all, byToken }: TakenPlaces, places: number): boolean {
  return byToken === undefined ? all < places : places - (all + 1) >= byToken + 1;
}

/** The reader of an approval, or its voter: an agent or an owner, as the gateway authenticated it. */
export type Viewer =
  | { readonly agentId: string; readonly ownerId?: undefined }
  | { readonly ownerId: string; readonly agentId?: undefined };

/** Returns APPROVAL_CLOSED: the approval takes no more votes. */
export function approvalClosed(state: ApprovalState): AppError {
  return new AppError('APPROVAL_CLOSED', {
    message: `The approval is ${state}. Ask for a new one.`,
    data: { state },
  });
}

/** Returns POLICY_VIOLATION: more pending approvals than an agent, its scoped token or an owner may have. */
export function tooManyApprovals(pending: TakenPlaces): AppError {
  const { all, byToken } = pending;
  const held = byToken === undefined ? '' : `, ${byToken} of them asked for by this token. The rest is for others`;
  return new AppError('POLICY_VIOLATION', {
    message: `There are ${all} pending approvals already${held}.`,
    data: { rule: 'too_many_approvals', suggestion: 'Withdraw one, or wait until the owner has decided.' },
  });
}

/** Returns POLICY_VIOLATION: more requests in 24 hours than an agent, its scoped token or an owner may make. */
export function tooManyRequests({ all, byToken }: TakenPlaces): AppError {
  const held = byToken === undefined ? '' : `, ${byToken} of them by this token. The rest is for others`;
  return new AppError('POLICY_VIOLATION', {
    message: `${all} approvals were requested in the last 24 hours${held}.`,
    data: { rule: 'too_many_approvals', suggestion: 'Wait until fewer were requested in the last 24 hours.' },
  });
}
