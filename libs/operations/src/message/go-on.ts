import type { OperationRecord } from '../records/operation.js';
import type { OperationRuntime } from '../runtime/operation-runtime.js';
import { decidedApprovals } from './await-approval.js';
import { prepare } from './submit.js';

/**
 * Continues an operation that was parked, as its approval says now: with a new message, which policy compares with what was
 * signed, or with its end. @throws LeaseLost
 */
export async function goOn(
  runtime: OperationRuntime,
  record: OperationRecord,
  signal: AbortSignal,
): Promise<OperationRecord> {
  const { approval } = record;
  const { approvals } = runtime.peers;
  if (!approval || !approvals) throw new Error('an operation waits for an approval that cannot be asked about');
  const decision = (await decidedApprovals(approvals, [approval])).get(approval.approvalId);
  if (!decision) return runtime.change(record, { publishesEvent: false }, 'parked');
  if (decision === 'usable') {
    await runtime.at(record, 'after-approval');
    return prepare(runtime, record, signal);
  }
  const state = decision.code === 'APPROVAL_EXPIRED' ? 'expired' : 'rejected';
  // An answer of policy that was lost may have reserved: to be settled.
  return runtime.change(record, { state, error: decision }, 'visit');
}
