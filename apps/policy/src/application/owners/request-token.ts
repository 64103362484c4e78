import { notFound } from '@agent-wallet/kernel';
import { isAddress } from '@agent-wallet/solana';
import type { Approval } from '../../domain/owners/approval.js';
import type { Owned } from '../../domain/owners/owned.js';
import { tokenTerms } from '../../domain/owners/token-terms.js';
import { checkedGrant, type SentGrant } from '../../domain/token.js';
import type { ApprovalStore } from '../../ports/approval-store.js';
import { newApproval } from './new-approval.js';
import { configured, type OwnerConsole } from './owner-console.js';

/** Asks for the approval by which an owner opens a scoped token of an agent. */
export class RequestToken {
  constructor(
    private readonly approvals: Pick<ApprovalStore, 'request'>,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, VALIDATION_ERROR, POLICY_VIOLATION */
  execute({ agentId, ownerId }: Owned, sent: SentGrant): Promise<Approval> {
    const { origin } = configured(this.console);
    return this.approvals.request({ kind: 'token', agentId, ownerId }, (known) => {
      if (!known.owners.includes(ownerId)) throw notFound('agent', 'Check its id.');
      const terms = tokenTerms(checkedGrant(sent, known.nowMs, isAddress));
      const pending = known.pending.filter((each) => each.ownerId === ownerId);
      return newApproval({ ...known, pending }, { origin, agentId, ownerId, about: { kind: 'token', terms } });
    });
  }
}
