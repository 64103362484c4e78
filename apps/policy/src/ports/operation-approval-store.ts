import type { Approval, ApprovalState } from '../domain/owners/approval.js';
import type { ApprovalRequest } from '../domain/owners/document.js';
import type { VersionedPolicy } from '../domain/policy.js';

/** A payment that needs an owner's approval. */
export interface AskedPayment {
  readonly operationId: string;
  readonly agentId: string;
  /** Base58. */
  readonly recipient: string;
  readonly valueUsdMicros: bigint;
}

/** What is known under the lock of the agent's policy. */
export interface KnownOfPayment {
  readonly nowMs: number;
  readonly policy: VersionedPolicy;
  /** The owner who claimed the agent. */
  readonly ownerId: string;
  /** Of the agent's operations. */
  readonly pendingCount: number;
  /** `above_amount`, `new_recipient`: at least one. */
  readonly reasons: readonly string[];
  /** A known recipient whose address begins and ends like this one's. */
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
  /** Of an agent's operation, in any state. */
  find(agentId: string, operationId: string): Promise<Approval | undefined>;
  /**
   * Stores the approval that `decide` makes of the state under the lock, and publishes it; the one that is there, if any.
   * Undefined when the policy asks for none any more. What `decide` throws is thrown on.
   * @throws AppError PERMIT_CONFLICT when the operation is another agent's
   */
  request(payment: AskedPayment, decide: (known: KnownOfPayment) => ApprovalRequest): Promise<Approval | undefined>;
  /** Voids the approval of an operation that is refused, unless it is used or closed, and publishes that. */
  void(agentId: string, operationId: string): Promise<void>;
  /** Leaves out those that are unknown. */
  states(ids: readonly string[]): Promise<OperationApproval[]>;
}
