import { AppError, checkOperatorNote, isUuid } from '@agent-wallet/kernel';
import { type Approval, OPERATOR_DELAY_HOURS, type OverruledAct } from '../../domain/owners/approval.js';
import { type ApprovalTerms, termsOf } from '../../domain/owners/document.js';
import type { ApprovalStore, KnownWhenRequested, OperatorNote } from '../../ports/approval-store.js';
import { HOUR_MS, newApproval } from './new-approval.js';
import { configured, type OwnerConsole } from './owner-console.js';

/** An act of an operator against the owners of an agent. */
export interface OverruledOwners extends OperatorNote {
  readonly agentId: string;
  readonly act: OverruledAct;
}

/** Lets an operator overrule the owners of an agent some days later, unless one of them objects by a signature. */
export class OverruleOwners {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * Requests an act. An equal pending one is returned as it is.
   * @throws AppError OWNERS_NOT_CONFIGURED, VALIDATION_ERROR where there is nothing to overrule
   */
  execute({ agentId, act, ...note }: OverruledOwners): Promise<Approval> {
    const { origin } = configured(this.console);
    checkOperatorNote(note);
    return this.approvals.request({ kind: 'objection', agentId, ownerId: undefined }, (known) => {
      const [ownerId] = known.owners;
      if (ownerId === undefined) throw AppError.field('agentId', 'has no owner');
      const terms = { act, ...note, frozenSince: frozenSince(act, known) };
      const lifetimeMs = OPERATOR_DELAY_HOURS * HOUR_MS;
      // Requests of the agent must not keep an operator out.
      const counted = { ...known, pending: [], requestsToday: { all: 0, byToken: undefined } };
      return (
        pendingAct(known, terms) ??
        newApproval(counted, { origin, agentId, ownerId, about: { kind: 'objection', terms }, lifetimeMs })
      );
    });
  }

  /** Withdraws an act that is not in effect. @throws AppError VALIDATION_ERROR when none is pending */
  async withdraw({ agentId, act, ...note }: OverruledOwners): Promise<Approval> {
    configured(this.console);
    checkOperatorNote(note);
    const withdrawn = await this.approvals.withdrawAct(agentId, act, note);
    if (!withdrawn) throw AppError.field('agentId', `has no pending ${act} by an operator`);
    return withdrawn;
  }
}

/** Returns when the freeze began that an act would end; undefined for another act. */
function frozenSince(act: OverruledAct, { frozenSinceMs }: KnownWhenRequested): string | undefined {
  if (act !== 'unfreeze') return undefined;
  if (frozenSinceMs === undefined) throw AppError.field('agentId', 'is not frozen by its owner');
  return new Date(frozenSinceMs).toISOString();
}

function pendingAct({ pending }: KnownWhenRequested, { act, frozenSince }: ApprovalTerms['objection']) {
  return pending.find(({ document }) => {
    const terms = termsOf('objection', document);
    return terms.act === act && terms.frozenSince === frozenSince;
  });
}

/** Confirms that an operator knows the owner who asks to replace lost passkeys. */
export class ConfirmRecovery {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /** @throws AppError OWNERS_NOT_CONFIGURED, VALIDATION_ERROR, NOT_FOUND, APPROVAL_CLOSED */
  execute(id: string, note: OperatorNote): Promise<Approval> {
    configured(this.console);
    checkOperatorNote(note);
    if (!isUuid(id)) throw AppError.field('approvalId', 'must be a UUID');
    return this.approvals.confirmRecovery(id, note);
  }
}
