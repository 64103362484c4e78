import { walletV1 } from '@agent-wallet/contracts';
import { OutcomeUnknown } from '../../ports/outcome-unknown.js';
import type { ExactJson } from '../answers/exact-json.js';
import type { OperationProgress } from './operation-kind.js';

/**
 * How far an operation is, by the answer of the service that owns it.
 * @param confirmed what a caller is told once it has landed
 * @throws OutcomeUnknown for a state that says nothing
 */
export function progressOf(
  { state, signature }: { readonly state: walletV1.OperationState; readonly signature: string },
  confirmed: { readonly message: string; readonly data: () => ExactJson },
): OperationProgress {
  switch (state) {
    case walletV1.OperationState.OPERATION_STATE_CONFIRMED:
      return { state: 'confirmed', signature, message: confirmed.message, data: confirmed.data() };
    case walletV1.OperationState.OPERATION_STATE_SUBMITTED:
      return { state: 'submitted', signature };
    default:
      throw new OutcomeUnknown(new Error(`the service answered with state ${state}`));
  }
}
