import type { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { OperationHandler, Preparation, PreparationInput } from './handler.js';

/** Policy's check for spending that is forbidden at any value. A generated client fits. */
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

/** The policy calls of a dry run whose operation cannot be done. A generated client fits. */
export interface StopCheck extends SpendingCheck {
  getUsage(request: policyV1.GetUsageRequest): Promise<policyV1.GetUsageResponse>;
}

/** An operation that a freeze or a switch forbids and that could not be done anyway. */
interface StoppedPreparation<Plan> {
  readonly kind: 'stopped';
  readonly plan: Plan | undefined;
  readonly decision: policyV1.DryRunAuthorizeResponse;
  /** The error of the preparation, if policy allowed the operation. */
  readonly error: AppError;
}

/**
 * Prepares an operation for a dry run. A freeze or a switch is a decision there, not an error, with any balance.
 * @throws AppError why the operation cannot be done, when neither forbids it
 */
export async function prepareDryRun<Request, Plan>(
  handler: OperationHandler<Request, Plan>,
  policy: StopCheck,
  operation: PreparationInput<Request, Plan>,
): Promise<Extract<Preparation<Plan>, { kind: 'ready' }> | StoppedPreparation<Plan>> {
  const prepared = await handler.prepare(operation);
  if (prepared.kind === 'ready') return prepared;
  const spending = prepared.kind === 'impossible' ? handler.spending?.(operation.request) : undefined;
  if (prepared.kind !== 'impossible' || spending === undefined) throw prepared.error;
  const { agentId } = operation;
  const stop = await stopOf(policy, { agentId, spending });
  if (!stop) throw prepared.error;
  return { ...prepared, kind: 'stopped', decision: stoppedDecision(stop, await policy.getUsage({ agentId })) };
}

/** Returns a freeze's or a switch's refusal as a dry run shows it. */
export function stoppedDecision(
  { data: { rule } }: AppError,
  usage: policyV1.GetUsageResponse,
): policyV1.DryRunAuthorizeResponse {
  return { allowed: false, rule: typeof rule === 'string' ? rule : '', valueUsdMicros: 0n, usage };
}

/** Returns policy's violation, if any. When policy does not respond, the handler's own refusal stays. */
async function stopOf(policy: SpendingCheck, request: policyV1.CheckSpendingRequest): Promise<AppError | undefined> {
  try {
    await policy.checkSpending(request);
    return undefined;
  } catch (error) {
    return error instanceof AppError && error.code === 'POLICY_VIOLATION' ? error : undefined;
  }
}
