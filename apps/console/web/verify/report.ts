import type {
  AssertionProblem,
  AuditEvent,
  ChainCause,
  DocumentProblem,
  Finding as ChainFinding,
  PageCause,
} from '@agent-wallet/audit';

/** Memory of the key that signs checkpoints. */
export interface KeyMemory {
  /** Returns the key that was seen first; undefined before. */
  read(): string | undefined;
  write(keyId: string): void;
}

/** Problem of an owner's vote. */
export type VoteProblem =
  | DocumentProblem
  | AssertionProblem
  | 'unreadable'
  | 'other_approval'
  | 'other_agent'
  | 'other_console'
  | 'decided_before'
  | 'closed_before'
  | 'claimed_before'
  | 'not_owner'
  | 'no_passkey'
  | 'signature';

/** Problem of an operator's act that owners can prevent for 72 hours. */
export type ActProblem =
  | 'no_request'
  | 'other_request'
  | 'objected'
  | 'decided_before'
  | 'closed_before'
  | 'not_confirmed'
  | 'too_early'
  | 'not_ended';

/** An operator's act that owners can prevent for 72 hours. */
export type DelayedAct = 'release' | 'unfreeze' | 'confirm_recovery';

/** Problem of an owner's passkey. */
export type PasskeyProblem = 'added_before' | 'other_chain' | 'other_key' | 'not_approved' | 'removal_not_approved';

/** An event, in the chain of the agent or of an owner. */
export interface Place {
  /** Agent or owner whose chain it is. */
  readonly subject: string;
  readonly eventId: string;
  readonly sequence: number;
}

/** A problem, as facts. */
export type Finding =
  | ChainFinding<ChainCause | PageCause>
  | ({ readonly code: 'vote_invalid'; readonly approvalId: string; readonly what: VoteProblem } & Place)
  | ({ readonly code: 'passkey_invalid'; readonly ownerId: string; readonly what: PasskeyProblem } & Place)
  | ({ readonly code: 'policy_unsigned' | 'policy_differs'; readonly fields: readonly string[] } & Place)
  | ({
      readonly code: 'owner_unsigned' | 'owner_removed_unsigned' | 'unfreeze_unsigned';
      readonly ownerId: string;
    } & Place)
  | ({
      readonly code: 'act_invalid';
      readonly act: DelayedAct;
      readonly approvalId: string;
      readonly what: ActProblem;
    } & Place);

/** Codes of what was not checked. */
export type NotChecked =
  | 'log_chain'
  | 'event_types'
  | 'times'
  | 'counters'
  | 'operations'
  | 'countersignatures'
  | 'earlier_reads'
  | 'checkpoint_key_owner'
  | 'no_checkpoint'
  | 'events_after_checkpoint'
  | 'owner_chains'
  | 'ed25519_unsupported';

/** Result of a verification. */
export interface Report {
  /** Events of the agent that were read. */
  readonly events: number;
  readonly checked: {
    /** Events of the agent whose hash and payload agree. */
    readonly chain: number;
    /** Events of the agent that a genuine checkpoint covers. */
    readonly checkpoint: number;
    /** Owners' votes that were verified whole, in all chains. */
    readonly signatures: number;
  };
  readonly findings: readonly Finding[];
  readonly notChecked: readonly NotChecked[];
}

/** An event that was read, believed or not. */
export interface TakenEvent extends Place {
  readonly event: AuditEvent;
}
