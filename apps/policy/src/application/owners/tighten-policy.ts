import { AppError, notFound } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import { changed, type PolicyChange, policyProblems, type VersionedPolicy } from '../../domain/policy.js';
import type { Owned } from '../../domain/owners/owned.js';
import type { OwnerStore } from '../../ports/owner-store.js';
import { assertTightens } from '../policies/manage-policy.js';
import { configured, type OwnerConsole } from './owner-console.js';

/** Forgets a recipient for an owner, who need not sign for that: it tightens. */
export class ForgetRecipient {
  constructor(
    private readonly owners: Pick<OwnerStore, 'forgetRecipient'>,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND for an agent of others */
  async execute(owned: Owned, address: string): Promise<{ readonly changed: boolean }> {
    configured(this.console);
    const changed = await this.owners.forgetRecipient(owned, address);
    if (changed === undefined) throw notFound('agent', 'Check its id.');
    return { changed };
  }
}

/** Tightens the policy of an agent for its owner, who need not sign for that. */
export class TightenPolicy {
  constructor(
    private readonly owners: OwnerStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * @throws AppError OWNERS_NOT_CONFIGURED, VALIDATION_ERROR, NOT_FOUND for an agent of others, POLICY_LOOSENING_NEEDS_OWNER
   */
  async execute(owned: Owned, change: PolicyChange): Promise<VersionedPolicy> {
    configured(this.console);
    const problems = policyProblems(change, isAddress);
    if (problems.length > 0) throw AppError.fields(problems);
    const policy = await this.owners.changePolicy(owned, (before) => {
      const after = changed(before, change);
      assertTightens(before, after, 'Request an approval of the change, and sign it.');
      return after;
    });
    if (!policy) throw notFound('agent', 'Check its id.');
    return policy;
  }
}
