import { AppError, assertUuid, PREDICTION_MARKETS_DISABLED } from '@agent-wallet/kernel';
import type { PolicySwitch } from '../../ports/policy-switch.js';

/**
 * Reads while the agent's policy is asked whether it may see prediction markets at all; what was read is thrown away
 * when it may not.
 * @throws AppError POLICY_VIOLATION with the rule prediction_markets_disabled; the errors of policy and of the read
 */
export async function withPolicySwitch<T>(policies: PolicySwitch, agentId: string, read: () => Promise<T>): Promise<T> {
  assertUuid('agentId', agentId);
  const found = read();
  // A refusal may come first; then the read's failure has no listener.
  found.catch(() => undefined);
  await assertSwitchedOn(policies, agentId);
  return found;
}

async function assertSwitchedOn(policies: PolicySwitch, agentId: string): Promise<void> {
  const { policy } = await policies.getPolicy({ agentId });
  if (policy?.allowPredictionMarkets) return;
  const { message, ...data } = PREDICTION_MARKETS_DISABLED;
  throw new AppError('POLICY_VIOLATION', { message, data });
}
