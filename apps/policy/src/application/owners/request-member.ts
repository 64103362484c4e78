import { AppError, notFound } from '@agent-wallet/kernel';
import { type Approval, MAX_OWNERS } from '../../domain/owners/approval.js';
import { termsOf } from '../../domain/owners/document.js';
import type { ApprovalStore } from '../../ports/approval-store.js';
import { newApproval } from './new-approval.js';
import { configured, type OwnerConsole } from './owner-console.js';

/** An owner who joins or leaves an agent. */
export interface MemberChange {
  readonly agentId: string;
  /** The owner who asks. */
  readonly ownerId: string;
  readonly memberId: string;
  /** Address that the member logs in with, as the caller knows it. */
  readonly email: string;
  readonly leaves: boolean;
}

/** Asks for the approval by which another owner joins an agent, or one of its owners leaves. */
export class RequestMember {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, VALIDATION_ERROR, POLICY_VIOLATION */
  execute({ agentId, ownerId, memberId, email, leaves }: MemberChange): Promise<Approval> {
    const { origin } = configured(this.console);
    return this.approvals.request({ kind: 'member', agentId, ownerId, passkeysOf: memberId }, (known) => {
      const { owners, passkeys } = known;
      if (!owners.includes(ownerId)) throw notFound('agent', 'Check its id.');
      if (leaves && !owners.includes(memberId)) throw notFound('owner', 'Check its id.');
      if (leaves && owners.length === 1) throw AppError.field('ownerId', 'is the last owner. Add another one first.');
      if (!leaves && owners.includes(memberId))
        throw AppError.field('email', 'already belongs to an owner of this agent');
      if (!leaves && owners.length >= MAX_OWNERS)
        throw AppError.field('email', `exceeds the limit of ${MAX_OWNERS} owners. Remove one first.`);
      if (!leaves && passkeys.length === 0) {
        throw AppError.field('email', 'has no passkey. Let that person log in as an owner and add one first.');
      }
      const terms = { action: leaves ? 'remove' : 'add', member: memberId, email } as const;
      const pending = known.pending.filter((each) => each.ownerId === ownerId);
      const same = pending.find(({ document }) => {
        const other = termsOf('member', document);
        return other.action === terms.action && other.member === memberId;
      });
      return same ?? newApproval({ ...known, pending }, { origin, agentId, ownerId, about: { kind: 'member', terms } });
    });
  }
}
