import { AppError, invalidCursor, isUuid, notFound } from '@agent-wallet/kernel';
import { type Approval, approvalClosed, type ApprovalState, type Viewer } from '../../domain/owners/approval.js';
import { canBeSigned } from '../../domain/owners/can-be-signed.js';
import { challengeOf, originOf, termsOf, TRUSTS } from '../../domain/owners/document.js';
import { assertionInvalid } from '../../domain/owners/rejected-assertion.js';
import type { Owned } from '../../domain/owners/owned.js';
import type { ApprovalStore } from '../../ports/approval-store.js';
import type { OperationApproval, OperationApprovalStore } from '../../ports/operation-approval-store.js';
import type { AgentOverview, OwnerStore } from '../../ports/owner-store.js';
import { countRejections } from './count-rejections.js';
import { configured, type OwnerConsole } from './owner-console.js';

/** Approvals of a page: a document may have 50 kB. */
const PAGE = { least: 1, usual: 20, most: 100 };
const MAX_STATES = 100;
/** The time in an id has 48 bits. */
const LAST_TIME_OF_IDS_MS = 2n ** 48n - 1n;

/** Reads an approval. */
export class GetApproval {
  constructor(private readonly approvals: ApprovalStore) {}

  /** @throws AppError NOT_FOUND, also for an approval of others */
  async execute(id: string, viewer: Viewer): Promise<Approval> {
    return found(await this.approvals.find(id, viewer));
  }
}

/** A page of approvals. */
export interface ApprovalPage {
  readonly approvals: readonly Approval[];
  /** Cursor of the next page; undefined on the last. */
  readonly nextCursor: string | undefined;
}

/** A page that is asked for. */
interface ApprovalPageRequest {
  /** Undefined for all. */
  readonly state: ApprovalState | undefined;
  /** Cursor of the page before; empty for the first page. */
  readonly cursor: string;
  readonly limit?: number | undefined;
}

/** Lists approvals, the latest first. */
export class ListApprovals {
  constructor(private readonly approvals: ApprovalStore) {}

  /** @throws AppError VALIDATION_ERROR for a cursor that no page gave, and a limit out of its range */
  async execute(viewer: Viewer, { state, cursor, limit = PAGE.usual }: ApprovalPageRequest): Promise<ApprovalPage> {
    if (limit < PAGE.least || limit > PAGE.most) {
      throw AppError.field('limit', `must be an integer from ${PAGE.least} to ${PAGE.most}`, 'out_of_range');
    }
    if (cursor !== '' && !isUuid(cursor)) throw invalidCursor();
    const before = cursor === '' ? undefined : cursor;
    const approvals = await this.approvals.list(viewer, { state, before, limit: limit + 1 });
    const page = approvals.slice(0, limit);
    return { approvals: page, nextCursor: approvals.length > limit ? page.at(-1)!.id : undefined };
  }
}

/** Counts an owner's signature over an approval. */
export class Vote {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly owners: OwnerStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * Verifies the signature before taking the locks, because the key never changes. Checks again under
   * the locks that the approval is pending with this document, its owner is still the owner, and the passkey still has that counter.
   * @returns the approval, applied or superseded; of an operation approved
   * @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, APPROVAL_CLOSED, ASSERTION_INVALID
   */
  execute(id: string, ownerId: string, assertionJson: string): Promise<Approval> {
    return countRejections(() => this.#vote(id, ownerId, assertionJson));
  }

  async #vote(id: string, ownerId: string, assertionJson: string): Promise<Approval> {
    const { origin, verifier } = configured(this.console);
    const approval = found(await this.approvals.find(id, { ownerId }));
    if (!canBeSigned(approval, ownerId)) throw approvalClosed(approval.state);
    // Requested before the console moved: its document names a page that is not this deployment's.
    if (originOf(approval.document) !== origin) throw approvalClosed('superseded');
    const { credentialId } = verifier.readAssertion(assertionJson);
    const passkey = await this.owners.findPasskey(credentialId);
    if (passkey?.ownerId !== ownerId) {
      throw assertionInvalid('passkey', 'This passkey is not one of yours. Sign with a passkey of this account.');
    }
    const challenge = challengeOf(approval.document);
    const assertion = await verifier.verifyAssertion(assertionJson, { challenge, passkey });
    return this.approvals.vote({ approval, ownerId, assertion });
  }
}

/** Chooses what a signature over a payment will say of later payments to its recipient. */
export class ChooseTrust {
  constructor(
    private readonly approvals: Pick<ApprovalStore, 'chooseTrust'>,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * @returns the approval with the document that is to be signed now
   * @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, APPROVAL_CLOSED, VALIDATION_ERROR, POLICY_VIOLATION
   */
  execute(approvalId: string, ownerId: string, trust: string): Promise<Approval> {
    configured(this.console);
    const chosen = TRUSTS.find((each) => each === trust);
    if (!chosen) throw AppError.field('trust', `must be one of ${TRUSTS.join(', ')}`);
    return this.approvals.chooseTrust({ approvalId, ownerId, trust: chosen });
  }
}

/** Ends an approval without a signature: the agent withdraws what it asked for, or an owner rejects. */
export class CloseApproval {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly console: OwnerConsole | undefined,
  ) {}

  /**
   * @param tokenId the scoped token of an agent's request, which withdraws only what it asked for itself
   * @throws AppError OWNERS_NOT_CONFIGURED, NOT_FOUND, APPROVAL_CLOSED
   */
  async execute(id: string, viewer: Viewer, tokenId?: string): Promise<Approval> {
    configured(this.console);
    const approval = found(await this.approvals.find(id, viewer));
    if (viewer.agentId !== undefined && !isAskedByAgent(approval)) throw missing();
    if (tokenId !== undefined && approval.tokenId !== tokenId) throw missing();
    if (approval.kind === 'recovery' && approval.ownerId !== viewer.ownerId) throw missing();
    if (approval.kind === 'objection')
      throw AppError.field('approvalId', 'is an objection. Sign it, or let it expire.');
    return this.approvals.close(id, viewer);
  }
}

function isAskedByAgent({ kind, document }: Approval): boolean {
  return kind === 'operation' || (kind === 'policy' && termsOf('policy', document).proposer === 'agent');
}

/** Finds what became of approvals of operations. */
export class GetApprovalStates {
  constructor(private readonly approvals: Pick<OperationApprovalStore, 'states'>) {}

  /** Returns the states of approvals, without those that are unknown. @throws AppError VALIDATION_ERROR for too many */
  async execute(ids: readonly string[]): Promise<OperationApproval[]> {
    if (ids.length > MAX_STATES)
      throw AppError.field('approvalIds', `must have at most ${MAX_STATES} entries`, 'too_long');
    return this.approvals.states(ids);
  }
}

/** Ends what waits for an approval when all sessions of an agent have ended: a thief may have asked for it. */
export class VoidOperations {
  constructor(private readonly approvals: Pick<OperationApprovalStore, 'voidAskedBefore'>) {}

  /** @returns how many this ended. @throws AppError VALIDATION_ERROR for what is not a time */
  async execute(agentId: string, askedBeforeMs: bigint, endedTokens: readonly string[]): Promise<number> {
    if (askedBeforeMs < 0n || askedBeforeMs > LAST_TIME_OF_IDS_MS) {
      throw AppError.field('askedBeforeMs', 'must be a time in Unix milliseconds', 'out_of_range');
    }
    return this.approvals.voidAskedBefore(agentId, Number(askedBeforeMs), endedTokens);
  }
}

/** Reads an agent for its owner. */
export class GetAgent {
  constructor(private readonly owners: OwnerStore) {}

  /** @throws AppError NOT_FOUND for an agent of others */
  async execute(owned: Owned): Promise<AgentOverview> {
    const overview = await this.owners.agent(owned);
    if (!overview) throw notFound('agent', 'Check its id.');
    return overview;
  }
}

/**
 * Has signed claims take effect whose time has come, marks approvals that have expired, so that their end is published, and
 * forgets expired challenges and approvals that had no effect.
 */
export class ExpireApprovals {
  constructor(
    private readonly approvals: ApprovalStore,
    private readonly owners: OwnerStore,
  ) {}

  /** @returns whether there may be more to do at once */
  async execute(): Promise<boolean> {
    const [, ...areMore] = await Promise.all([
      this.approvals.applyDue(),
      this.approvals.expire(),
      this.approvals.forgetWithoutEffect(),
      this.owners.removeExpiredChallenges(),
    ]);
    return areMore.includes(true);
  }
}

function found(approval: Approval | undefined): Approval {
  if (!approval) throw missing();
  return approval;
}

function missing(): AppError {
  return notFound('approval', 'Check its id.');
}
