import { AppError, notFound } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import { changed, DEFAULT_POLICY, type Policy, type PolicyChange, policyProblems } from '../../domain/policy.js';
import type { PolicyStore } from '../../ports/policy-store.js';

/** Makes the default policy of a new agent. */
export class CreatePolicy {
  constructor(private readonly policies: PolicyStore) {}

  /** The policy in force: the default, or what it has become since. */
  execute(agentId: string): Promise<Policy> {
    return this.policies.create(agentId, DEFAULT_POLICY);
  }
}

/** Reads an agent's policy. */
export class GetPolicy {
  constructor(private readonly policies: PolicyStore) {}

  /** @throws AppError NOT_FOUND */
  async execute(agentId: string): Promise<Policy> {
    return found(await this.policies.find(agentId));
  }
}

/** Changes an agent's policy. */
export class UpdatePolicy {
  constructor(private readonly policies: PolicyStore) {}

  /**
   * Once it has answered, nothing is reserved under the old policy.
   * @throws AppError VALIDATION_ERROR naming every field that is wrong, NOT_FOUND
   */
  async execute(agentId: string, change: PolicyChange): Promise<Policy> {
    const details = policyProblems(change, isAddress);
    if (details.length > 0) throw AppError.fields(details);
    return found(await this.policies.change(agentId, (policy) => changed(policy, change)));
  }
}

function found(policy: Policy | undefined): Policy {
  if (!policy) throw notFound('policy', 'The first login of the agent creates it.');
  return policy;
}
