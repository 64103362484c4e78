import type { OperationRecord } from '../records/operation.js';
import type { OperationRuntime } from '../runtime/operation-runtime.js';
import { decidedApprovals } from './await-approval.js';

/**
 * Continues an operation that was parked, as its approval says now: with a new message or the saga's next step, which
 * policy compares with what was signed, or with its end.
 * @param proceed takes the next step of an operation whose approval can be used
 * @throws LeaseLost
 */
export async function goOn(
  runtime: OperationRuntime,
  record: OperationRecord,
  proceed: () => Promise<OperationRecord>,
): Promise<OperationRecord> {
  const { approval } = record;
  const { approvals } = runtime.tools;
  if (!approval || !approvals) throw new Error('an operation waits for an approval that cannot be asked about');
  const decision = (await decidedApprovals(approvals, [approval])).get(approval.approvalId);
  if (!decision) return runtime.change(record, { publishesEvent: false }, 'parked');
  if (decision === 'usable') {
    await runtime.at(record, 'after-approval');
    return proceed();
  }
  const state = decision.code === 'APPROVAL_EXPIRED' ? 'expired' : 'rejected';
  // An answer of policy that was lost may have reserved: to be settled. A saga has no message to settle.
  return runtime.change(record, { state, error: decision }, record.attempt ? 'visit' : 'closed');
}
