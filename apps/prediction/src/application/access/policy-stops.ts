import { policyV1 } from '@agent-wallet/contracts';
import { AppError, assertUuid } from '@agent-wallet/kernel';
import type { SpendingCheck } from '@agent-wallet/operations';

/** The result of a read, and the rule that stops the agent regardless of it. */
interface Stoppable<T> {
  readonly found: T;
  /** POLICY_VIOLATION; undefined when nothing stops the agent. */
  readonly stop: AppError | undefined;
}

/**
 * Returns the rule that stops every order of an agent in prediction markets, in the order of policy: a freeze, then the
 * switch.
 * Runs and dry runs both call this, so both state the same first reason.
 * @throws AppError NOT_FOUND when the agent has no policy; what policy's client throws
 */
export async function stopOf(policies: SpendingCheck, agentId: string): Promise<AppError | undefined> {
  try {
    await saleTerms(policies, agentId);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'POLICY_VIOLATION') return error;
    throw error;
  }
}

/** The part of a policy that a sale has to keep. */
export interface SaleTerms {
  /** The most that a trade may lose, in basis points; undefined where the owner has set no bound. */
  readonly maxTradeLossBps?: number | undefined;
}

/**
 * Returns the terms of a sale.
 * @throws AppError POLICY_VIOLATION with the rule that stops every order; NOT_FOUND; what policy's client throws
 */
export async function saleTerms(policies: SpendingCheck, agentId: string): Promise<SaleTerms> {
  assertUuid('agentId', agentId);
  return policies.checkSpending({ agentId, spending: policyV1.Spending.SPENDING_ESCROW });
}

/**
 * Reads while policy is asked. A stop comes before the failure of the read.
 * @throws AppError the stop, if the read failed, too; the errors of policy and of the read
 */
async function readWithStop<T>(
  policies: SpendingCheck,
  agentId: string,
  read: () => Promise<T>,
): Promise<Stoppable<T>> {
  const reading = read();
  // Policy may fail first; then the read's failure has no listener.
  reading.catch(() => undefined);
  const stop = await stopOf(policies, agentId);
  const found = await reading.catch((error: unknown) => {
    throw stop ?? error;
  });
  return { found, stop };
}

/**
 * Returns the result of a read, unless a rule stops the agent.
 * @throws AppError POLICY_VIOLATION with the rule frozen or prediction_markets_disabled; the errors of policy and of the read
 */
export async function unlessStopped<T>(policies: SpendingCheck, agentId: string, read: () => Promise<T>): Promise<T> {
  const { found, stop } = await readWithStop(policies, agentId, read);
  if (stop) throw stop;
  return found;
}
