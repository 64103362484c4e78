import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { OperationHandler, Preparation, PreparationInput } from './handler.js';

/** What a policy forbids at any value. A generated client fits. */
export interface SpendingCheck {
  /** @throws AppError POLICY_VIOLATION */
  checkSpending(request: policyV1.CheckSpendingRequest): Promise<policyV1.CheckSpendingResponse>;
}

/**
 * Prepares an operation. One that cannot be done, and that a freeze or a switch forbids anyway, is refused for that: no
 * top-up of the wallet would help.
 * @throws AppError as the handler's `prepare`
 */
export async function prepareAllowed<Request, Plan>(
  handler: OperationHandler<Request, Plan>,
  policy: SpendingCheck,
  operation: PreparationInput<Request, Plan>,
): Promise<Preparation<Plan>> {
  const prepared = await handler.prepare(operation);
  const spending = prepared.kind === 'impossible' ? handler.spending?.(operation.request) : undefined;
  if (prepared.kind !== 'impossible' || spending === undefined) return prepared;
  const stop = await stopOf(policy, { agentId: operation.agentId, spending });
  return stop ? { ...prepared, error: stop } : prepared;
}

/** Without an answer of policy the handler's own refusal stays. */
async function stopOf(policy: SpendingCheck, request: policyV1.CheckSpendingRequest): Promise<AppError | undefined> {
  try {
    await policy.checkSpending(request);
    return undefined;
  } catch (error) {
    return error instanceof AppError && error.code === 'POLICY_VIOLATION' ? error : undefined;
  }
}
