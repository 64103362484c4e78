import { AppError, notFound } from '@agent-wallet/kernel';
import { isAddress, isOnCurve } from '@agent-wallet/solana';
import { loosenings } from '../../domain/owners/loosening.js';
import {
  changed,
  ownerlessProblems,
  type Policy,
  type PolicyChange,
  policyProblems,
  type VersionedPolicy,
} from '../../domain/policy.js';
import type { PolicyStore } from '../../ports/policy-store.js';

/** Reads an agent's policy. */
export class GetPolicy {
  constructor(private readonly policies: PolicyStore) {}

  /** @throws AppError NOT_FOUND */
  async execute(agentId: string): Promise<VersionedPolicy> {
    return found(await this.policies.find(agentId));
  }
}

/** Changes an agent's policy. */
export class UpdatePolicy {
  constructor(private readonly policies: PolicyStore) {}

  /**
   * Changes a policy. Once it returns, nothing is reserved under the old policy. An agent that has an owner, or that is
   * being claimed, can only tighten.
   * @param expectedVersion the version that the change is of; undefined for any
   * @throws AppError VALIDATION_ERROR naming every field that is wrong, VERSION_MISMATCH, POLICY_LOOSENING_NEEDS_OWNER,
   *   NOT_FOUND
   */
  async execute(agentId: string, change: PolicyChange, expectedVersion?: bigint): Promise<VersionedPolicy> {
    const details = policyProblems(change, isAddress);
    if (details.length > 0) throw AppError.fields(details);
    const next = (policy: VersionedPolicy, isBeingClaimed: boolean) => {
      const { version } = policy;
      if (expectedVersion !== undefined && version !== expectedVersion) {
        throw new AppError('VERSION_MISMATCH', { data: { version: Number(version) } });
      }
      const wanted = changed(policy, change);
      const problems = policy.isClaimed ? [] : ownerlessProblems(change);
      if (problems.length > 0) throw AppError.fields(problems);
      if (policy.isClaimed) assertTightens(policy, wanted, 'Propose the change. The owner decides on it.');
      // Otherwise a stolen token could make each claim void.
      if (isBeingClaimed) assertTightens(policy, wanted, 'A person is about to claim this agent. Try again tomorrow.');
      return wanted;
    };
    return found(await this.policies.change(agentId, next));
  }
}

/** @throws AppError POLICY_LOOSENING_NEEDS_OWNER naming each field that loosens */
export function assertTightens(before: Policy, after: Policy, suggestion: string): void {
  const loosens = loosenings(before, after, isOnCurve);
  if (loosens.length === 0) return;
  throw new AppError('POLICY_LOOSENING_NEEDS_OWNER', { data: { loosens, suggestion } });
}

function found(policy: VersionedPolicy | undefined): VersionedPolicy {
  if (!policy) throw notFound('policy', 'The first login of the agent creates it.');
  return policy;
}
