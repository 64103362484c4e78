import { policyV1 } from '@agent-wallet/contracts';
import { AppError } from '@agent-wallet/kernel';
import type { NotedEviction, OwnerStore } from '../../ports/owner-store.js';
import type { OwnersService } from '../../ports/owners-service.js';
import type { SessionStore } from '../../ports/session-store.js';
import type { ReportEvictions } from '../connect/report-evictions.js';

const { ApprovalKind, ApprovalState } = policyV1;

/** Time that policy may take until a claim whose time has come is in effect. */
const AFTER_EFFECT_MS = 2_000;

/** Dependencies of votes. */
interface VoteDependencies {
  readonly owners: Pick<
    OwnerStore,
    'noteEviction' | 'takeDueEvictions' | 'postponeEviction' | 'forgetEviction' | 'endSessionsOfPasskey'
  >;
  readonly service: Pick<OwnersService, 'approval' | 'vote'>;
  readonly sessions: Pick<SessionStore, 'endAll'>;
  readonly evictions: Pick<ReportEvictions, 'report'>;
}

/**
 * Passes an owner's signature on to policy. A claim ends the agent's earlier sessions before it is answered; what a crash
 * leaves in between is noted before the vote, and any replica finishes it. A claim with a delay ends them once it is in
 * effect. The removal of a passkey ends its sessions before it is answered; after a crash in between, policy's event does.
 */
export class VoteOnApproval {
  constructor(private readonly dependencies: VoteDependencies) {}

  /** @returns the approval: applied, approved until it takes effect, or superseded without effect. @throws what policy throws */
  async approve(approvalId: string, ownerId: string, assertionJson: string): Promise<policyV1.Approval> {
    const { owners, service } = this.dependencies;
    const asked = await service.approval(approvalId, { $case: 'ownerId', value: ownerId });
    const eviction = endsSessions(asked)
      ? await owners.noteEviction({ approvalId, ownerId, agentId: asked.agentId })
      : undefined;
    const decided = await service.vote({ approvalId, ownerId, assertionJson });
    if (eviction) await this.#finish(eviction, decided);
    const removed = decided.state === ApprovalState.APPROVAL_STATE_APPLIED && removedPasskey(decided);
    if (removed) await owners.endSessionsOfPasskey(removed);
    return decided;
  }

  /** Finishes what votes have left. @returns whether there may be more */
  async finishEvictions(): Promise<boolean> {
    const due = await this.dependencies.owners.takeDueEvictions();
    const finished = await Promise.allSettled(due.map((eviction) => this.#resume(eviction)));
    const failed = finished.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return due.length > 0;
  }

  async #resume(eviction: NotedEviction): Promise<void> {
    const { owners, service } = this.dependencies;
    const { approvalId, ownerId } = eviction;
    const viewer = { $case: 'ownerId', value: ownerId } as const;
    const approval = await service.approval(approvalId, viewer).catch((error: unknown) => {
      // Policy was restored to a time before it, and so the claim is void.
      if (error instanceof AppError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
    await (approval ? this.#finish(eviction, approval) : owners.forgetEviction(eviction));
  }

  async #finish(eviction: NotedEviction, { state, effectiveAtMs }: policyV1.Approval): Promise<void> {
    const { owners, sessions, evictions } = this.dependencies;
    const { agentId, ownerId } = eviction;
    if (state === ApprovalState.APPROVAL_STATE_APPROVED) {
      return owners.postponeEviction(eviction, Math.max(Number(effectiveAtMs) + AFTER_EFFECT_MS, eviction.dueAtMs));
    }
    if (state !== ApprovalState.APPROVAL_STATE_APPLIED) return owners.forgetEviction(eviction);
    const note = { operator: `owner ${ownerId}`, reason: 'claimed by an owner' };
    const evicted = await sessions.endAll(agentId, note);
    // From here on the eviction itself is kept until policy knows it.
    await owners.forgetEviction(eviction);
    await evictions.report(evicted.eviction);
  }
}

/**
 * Reports whether a pending approval ends the agent's sessions when it is applied: the document that the owner signs
 * says it.
 */
function endsSessions({ kind, state, document }: policyV1.Approval): boolean {
  if (kind !== ApprovalKind.APPROVAL_KIND_CLAIM || state !== ApprovalState.APPROVAL_STATE_PENDING) return false;
  const { terms } = JSON.parse(document.toString()) as { readonly terms: { readonly keepSessions?: string } };
  return terms.keepSessions !== 'true';
}

/** Returns the credential ID of the passkey that an approval removes; undefined for every other approval. */
function removedPasskey({ kind, document }: policyV1.Approval): Buffer | undefined {
  if (kind !== ApprovalKind.APPROVAL_KIND_PASSKEY) return undefined;
  const { terms } = JSON.parse(document.toString()) as {
    readonly terms: { readonly action: string; readonly credentialId: string };
  };
  return terms.action === 'remove' ? Buffer.from(terms.credentialId, 'base64url') : undefined;
}
