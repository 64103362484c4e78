import { AppError, notFound } from '@agent-wallet/kernel';
import type { Approval } from '../../domain/owners/approval.js';
import { termsOf } from '../../domain/owners/document.js';
import type { ApprovalStore } from '../../ports/approval-store.js';
import type { FreezeStore } from '../../ports/freeze-store.js';
import type { Owned } from '../../domain/owners/owned.js';
import { newApproval } from './new-approval.js';
import { configured, type OwnerConsole } from './owner-console.js';

/** Freezes an agent for its owner, who need not sign for that. */
export class FreezeAgent {
  constructor(
    private readonly freezes: FreezeStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * Freezes an agent. Once it returns, policy permits nothing of the agent.
   * @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND
   */
  async execute(owned: Owned): Promise<{ readonly changed: boolean }> {
    configured(this.console);
    const result = await this.freezes.setByOwner(owned);
    if (!result) throw notFound('agent', 'Check its id.');
    return result;
  }
}

/** Asks for the approval that ends an owner's freeze. */
export class RequestUnfreeze {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, VALIDATION_ERROR, POLICY_VIOLATION */
  execute({ agentId, ownerId }: Owned): Promise<Approval> {
    const { origin } = configured(this.console);
    return this.approvals.request({ kind: 'unfreeze', agentId, ownerId }, (known) => {
      if (!known.owners.includes(ownerId)) throw notFound('agent', 'Check its id.');
      if (known.frozenSinceMs === undefined) throw AppError.field('agentId', 'is not frozen by its owner');
      const terms = { frozenSince: new Date(known.frozenSinceMs).toISOString() };
      const pending = known.pending.filter((each) => each.ownerId === ownerId);
      const same = pending.find(({ document }) => termsOf('unfreeze', document).frozenSince === terms.frozenSince);
      return (
        same ?? newApproval({ ...known, pending }, { origin, agentId, ownerId, about: { kind: 'unfreeze', terms } })
      );
    });
  }
}
