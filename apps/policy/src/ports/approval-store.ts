import type {
  Approval,
  ApprovalKind,
  ApprovalState,
  OverruledAct,
  TakenPlaces,
  Viewer,
} from '../domain/owners/approval.js';
import type { ApprovalRequest, AskingSession, Trust } from '../domain/owners/document.js';
import type { VersionedPolicy } from '../domain/policy.js';
import type { Passkey } from './owner-store.js';
import type { Assertion, Registration } from './passkey-verifier.js';

/** Whose approval is requested, and by whom: of an agent, under the lock of its policy, or of an owner alone. */
export type ApprovalScope =
  | {
      readonly kind: Exclude<ApprovalKind, 'passkey' | 'recovery' | 'operation'>;
      readonly agentId: string;
      /** Undefined when the agent or an operator asks. */
      readonly ownerId: string | undefined;
      /** The owner whose passkeys decide, where that is not the one who asks. */
      readonly passkeysOf?: string;
      /** The agent's session that asks; undefined where an owner does, or it is not known. */
      readonly session?: AskingSession | undefined;
    }
  | {
      readonly kind: 'passkey' | 'recovery';
      readonly agentId?: undefined;
      readonly ownerId: string;
      readonly passkeysOf?: undefined;
    };

/** An agent that is to be claimed. */
export interface ClaimedAgent {
  /** Time of its first login, in Unix milliseconds. */
  readonly createdAtMs: number;
  /** The owner that the agent named at its first login: the only one who can claim it. */
  readonly namedOwnerId: string | undefined;
}

/** State under the lock while an approval is requested. */
export interface KnownWhenRequested {
  readonly nowMs: number;
  /** The agent's policy; undefined for an owner alone, or when the agent has none. */
  readonly policy: VersionedPolicy | undefined;
  /** Owners of the agent, the first first. */
  readonly owners: readonly string[];
  /** Passkeys of the owner in the scope. */
  readonly passkeys: readonly Passkey[];
  /** Approvals of this kind, of the agent or of the owner alone, that are pending, or are not in effect yet. */
  readonly pending: readonly Approval[];
  /** Read for a claim only. */
  readonly claimed: ClaimedAgent | undefined;
  /** Since when the agent's owner has frozen it; read for an unfreeze and an objection only. */
  readonly frozenSinceMs: number | undefined;
  /** Whether the agent's session that asks has ended, with all others. */
  readonly isEvicted: boolean;
  /** Approvals that the requester has requested in the last 24 hours. */
  readonly requestsToday: TakenPlaces;
}

/** The approval to store, or the pending one that asks for the same. */
export type Requested = Approval | NewApproval;

export interface NewApproval {
  readonly request: ApprovalRequest;
  /** Registration of a passkey that is to be added. */
  readonly registration?: Registration;
}

/** A signature over an approval's document, which was verified. */
export interface VoteCommand {
  readonly approval: Approval;
  readonly ownerId: string;
  readonly assertion: Assertion;
}

/** An owner's choice of what a signature shall say of later payments. */
export interface TrustChoice {
  readonly approvalId: string;
  readonly ownerId: string;
  readonly trust: Trust;
}

export interface ApprovalQuery {
  readonly state: ApprovalState | undefined;
  /** ID of an approval; the list has only those that were requested before it. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** The name and the reason of an operator, for the audit log and the owners. */
export interface OperatorNote {
  readonly operator: string;
  readonly reason: string;
}

/** Store of approvals and votes. */
export interface ApprovalStore {
  /** Stores what `decide` makes of the state under the lock, and publishes it. What it throws is thrown on. */
  request(scope: ApprovalScope, decide: (known: KnownWhenRequested) => Requested): Promise<Approval>;
  /** Returns an approval; undefined also when it is not the viewer's. */
  find(id: string, viewer: Viewer): Promise<Approval | undefined>;
  /** Lists approvals, the latest first. */
  list(viewer: Viewer, query: ApprovalQuery): Promise<Approval[]>;
  /**
   * Counts a vote and applies the approval, all in one transaction with their events.
   * @throws AppError NOT_FOUND, APPROVAL_CLOSED, ASSERTION_INVALID for a counter that does not fit
   */
  vote(command: VoteCommand): Promise<Approval>;
  /**
   * Has a pending payment's document say another trust, under a new hash, and publishes it. The same document when it says
   * so already.
   * @throws AppError NOT_FOUND, APPROVAL_CLOSED, VALIDATION_ERROR for another kind, POLICY_VIOLATION after too many changes
   */
  chooseTrust(choice: TrustChoice): Promise<Approval>;
  /** Cancels the claims of an agent that are not in effect yet. @returns how many */
  cancelClaims(agentId: string): Promise<number>;
  /** Notes that an operator confirms a recovery, and publishes that. @throws AppError NOT_FOUND, APPROVAL_CLOSED */
  confirmRecovery(id: string, note: OperatorNote): Promise<Approval>;
  /** Withdraws an operator's act that is not in effect. Undefined when none is pending. */
  withdrawAct(agentId: string, act: OverruledAct, note: OperatorNote): Promise<Approval | undefined>;
  /**
   * Has claims, recoveries and acts of operators take effect whose time has come. One that fails holds back no other.
   * @throws what the first that failed threw
   */
  applyDue(): Promise<void>;
  /** Ends a pending approval. @throws AppError NOT_FOUND, APPROVAL_CLOSED */
  close(id: string, viewer: Viewer): Promise<Approval>;
  /** Marks what has expired and publishes it. True when there may be more. */
  expire(): Promise<boolean>;
  /** Removes approvals that ended long ago without an effect, so that requests fill no table. True when there may be more. */
  forgetWithoutEffect(): Promise<boolean>;
}
