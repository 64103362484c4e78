import type { Policy, VersionedPolicy } from '../domain/policy.js';

/** Makes the wanted policy of a locked one, which an owner may be about to claim. */
export type PolicyEdit = (policy: VersionedPolicy, isBeingClaimed: boolean) => Policy;

/** Store of policies. */
export interface PolicyStore {
  find(agentId: string): Promise<VersionedPolicy | undefined>;
  /**
   * Makes the agent's policy, with the only owner who can claim it, unless there is one; answers the one in force.
   */
  create(agentId: string, policy: Policy, namedOwnerId: string | undefined): Promise<VersionedPolicy>;
  /**
   * Changes a policy for its agent under the lock that reservations take, and publishes what changed. Undefined when the
   * agent has no policy. What `change` throws is thrown on, and nothing is changed.
   */
  change(agentId: string, change: PolicyEdit): Promise<VersionedPolicy | undefined>;
}
