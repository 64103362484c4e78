import type { Policy, VersionedPolicy } from '../domain/policy.js';

/** Makes the wanted policy of a locked one, which an owner may be about to claim. */
export type PolicyEdit = (policy: VersionedPolicy, isBeingClaimed: boolean) => Policy;

/** Origin of an agent, as its login knows it. */
export interface Origin {
  /** The only owner who can claim it. */
  readonly namedOwnerId: string | undefined;
  /** Names its mailbox, whose agents share one allowance of sponsorship. */
  readonly mailboxId: Uint8Array | undefined;
}

/** Store of policies. */
export interface PolicyStore {
  find(agentId: string): Promise<VersionedPolicy | undefined>;
  /**
   * Makes the agent's policy unless there is one; answers the one in force. A policy that is there gets the mailbox if it
   * has none, and keeps its own otherwise.
   */
  create(agentId: string, policy: Policy, origin: Origin): Promise<VersionedPolicy>;
  /**
   * Changes a policy for its agent under the lock that reservations take, and publishes what changed. Undefined when the
   * agent has no policy. What `change` throws is thrown on, and nothing is changed.
   */
  change(agentId: string, change: PolicyEdit): Promise<VersionedPolicy | undefined>;
}
