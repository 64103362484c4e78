import type { Approval, ApprovalState, TakenPlaces } from '../domain/owners/approval.js';
import type { ApprovalRequest } from '../domain/owners/document.js';
import type { VersionedPolicy } from '../domain/policy.js';
import type { PricedIntent } from './reservation-store.js';

/** Spending that needs an owner's approval. */
export interface AskedSpending extends PricedIntent {
  readonly operationId: string;
  readonly agentId: string;
}

/** State under the lock of the agent's policy. */
export interface KnownOfSpending {
  readonly nowMs: number;
  readonly policy: VersionedPolicy;
  /** The owner who claimed the agent. */
  readonly ownerId: string;
  /** Pending approvals of the agent's operations. */
  readonly pending: TakenPlaces;
  /** `above_amount`, `new_recipient`: at least one. */
  readonly reasons: readonly string[];
  /** A known recipient whose address begins and ends like that of this payment. */
  readonly lookalikeOf: string | undefined;
}

/** An approval as its operation needs to know it. */
export interface OperationApproval {
  readonly id: string;
  readonly state: ApprovalState;
  readonly expiresAtMs: number;
}

/** Approvals of operations. */
export interface OperationApprovalStore {
  /** Returns the approval of an agent's operation, in any state. */
  find(agentId: string, operationId: string): Promise<Approval | undefined>;
  /**
   * Stores the approval that `decide` makes of the state under the lock, and publishes it; the one that is there, if any.
   * Undefined when the policy asks for none any more. What `decide` throws is thrown on.
   * @throws AppError PERMIT_CONFLICT when the operation is another agent's, APPROVAL_REJECTED when an eviction has voided it
   */
  request(asked: AskedSpending, decide: (known: KnownOfSpending) => ApprovalRequest): Promise<Approval | undefined>;
  /** Voids the approval of an operation that is refused, unless it is used or closed, and publishes that. */
  void(agentId: string, operationId: string): Promise<void>;
  /**
   * Voids an agent's open approvals of operations that were asked for before a time, withdraws its proposals from before it,
   * ends scoped tokens, and publishes that, in one step. From then on none of these operations gets an approval.
   * @returns how many approvals this ended
   */
  voidAskedBefore(agentId: string, beforeMs: number, endedTokens: readonly string[]): Promise<number>;
  /** Leaves out those that are unknown. */
  states(ids: readonly string[]): Promise<OperationApproval[]>;
}
