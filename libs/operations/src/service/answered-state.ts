import { walletV1 } from '@agent-wallet/contracts';
import type { RequestedApproval } from '../records/operation.js';

const { OperationState } = walletV1;

/** An operation that did not fail, as its caller is answered. */
interface AnsweredOperation {
  /** Undefined of a dry run. */
  readonly isConfirmed?: boolean | undefined;
  /** The approval that it waits for; undefined when it waits for none. */
  readonly approval?: RequestedApproval | undefined;
}

/** Converts the state of an operation that did not fail to its wire form. */
export function answeredState({ isConfirmed, approval }: AnsweredOperation): walletV1.OperationState {
  if (approval) return OperationState.OPERATION_STATE_AWAITING_APPROVAL;
  if (isConfirmed === undefined) return OperationState.OPERATION_STATE_UNSPECIFIED;
  return isConfirmed ? OperationState.OPERATION_STATE_CONFIRMED : OperationState.OPERATION_STATE_SUBMITTED;
}

/** Converts an approval that an owner was asked for to its wire form. */
export function awaitedApproval(approval: RequestedApproval | undefined): walletV1.AwaitedApproval | undefined {
  if (!approval) return undefined;
  const { approvalId, expiresAtMs, reasons } = approval;
  return { approvalId, expiresAtMs: BigInt(expiresAtMs), reasons: [...reasons] };
}
