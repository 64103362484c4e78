import type { Policy } from '../domain/policy.js';

/** Where policies are kept. */
export interface PolicyStore {
  find(agentId: string): Promise<Policy | undefined>;
  /** Makes the agent's policy unless there is one; answers the one in force. */
  create(agentId: string, policy: Policy): Promise<Policy>;
  /**
   * Changes a policy under the lock that reservations take, and publishes what changed. Undefined when the
   * agent has no policy.
   */
  change(agentId: string, change: (policy: Policy) => Policy): Promise<Policy | undefined>;
}
