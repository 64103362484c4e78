import { policyV1 } from '@agent-wallet/contracts';
import { AppError, type FactsOf } from '@agent-wallet/kernel';
import type { BuiltOperation, OperationRecord, RequestedApproval } from '../records/operation.js';
import type { OperationApprovals, OperationRuntime } from '../runtime/operation-runtime.js';

/*
 * An operation that an owner must approve first. It is parked: its row alone waits, without lease, timer or reservation.
 * Once the approval is decided, any replica continues it with a message built then, as the old one has died.
 */

const { ApprovalState } = policyV1;

/** Result of a decided approval: continue, or end the operation with an error. */
type DecidedApproval = 'usable' | AppError;

/** Returns the approval that policy requested with this error; undefined for any other error. */
export function requestedApproval({ code, data }: AppError): RequestedApproval | undefined {
  if (code !== 'APPROVAL_REQUIRED') return undefined;
  const { approvalId, expiresAtMs, reasons } = data as FactsOf<'APPROVAL_REQUIRED'>;
  return { approvalId, expiresAtMs, reasons };
}

/**
 * Returns the error that ends an operation whose message does not fit the signed document. Undefined for any other
 * conflict.
 * @throws AppError the conflict, while policy may still find out that an earlier message never lands
 */
export function conflictWithApproval({ approval }: OperationRecord, error: AppError): AppError | undefined {
  if (!approval || error.code !== 'PERMIT_CONFLICT') return undefined;
  if (error.data.reason === 'prior_attempt_may_land') throw error;
  return error.data.reason === 'other_terms' ? rejected(approval, 'void') : undefined;
}

/** Gives the lease back until the approval is decided. The message was never permitted. @throws LeaseLost */
export async function park(
  runtime: OperationRuntime,
  record: BuiltOperation,
  approval: RequestedApproval,
): Promise<OperationRecord> {
  const attempt = { state: 'abandoned', finalized: true } as const;
  const parked = await runtime.change(record, { state: 'awaiting_approval', approval, attempt }, 'parked');
  await runtime.at(parked, 'after-parking');
  return parked;
}

/** Returns the results of decided approvals by ID, without those still pending. */
export async function decidedApprovals(
  approvals: OperationApprovals,
  requested: readonly RequestedApproval[],
): Promise<ReadonlyMap<string, DecidedApproval>> {
  const approvalIds = requested.map(({ approvalId }) => approvalId);
  const answer = await approvals.getApprovalStates({ approvalIds });
  const states = new Map(answer.approvals.map(({ approvalId, state }) => [approvalId, state]));
  const decided = requested.flatMap((each) => {
    const decision = decisionOf(each, states.get(each.approvalId));
    return decision ? [[each.approvalId, decision] as const] : [];
  });
  return new Map(decided);
}

/**
 * Returns undefined while the approval is pending. An approval that policy does not know was lost with its database.
 */
function decisionOf(
  approval: RequestedApproval,
  state: policyV1.ApprovalState | undefined,
): DecidedApproval | undefined {
  switch (state) {
    case ApprovalState.APPROVAL_STATE_PENDING:
      return undefined;
    case ApprovalState.APPROVAL_STATE_APPROVED:
    case ApprovalState.APPROVAL_STATE_USED:
      return 'usable';
    case ApprovalState.APPROVAL_STATE_REJECTED:
      return rejected(approval, 'rejected');
    case ApprovalState.APPROVAL_STATE_WITHDRAWN:
      return rejected(approval, 'withdrawn');
    case ApprovalState.APPROVAL_STATE_EXPIRED:
      return new AppError('APPROVAL_EXPIRED', { data: { approvalId: approval.approvalId } });
    default:
      return rejected(approval, 'void');
  }
}

function rejected({ approvalId }: RequestedApproval, reason: 'rejected' | 'withdrawn' | 'void'): AppError {
  return new AppError('APPROVAL_REJECTED', { data: { approvalId, reason } });
}
