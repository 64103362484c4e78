import type { AssertionProblem, DocumentProblem } from '@agent-wallet/audit';

/** An answer of the API: a part of a chain as stored. */
export interface ProofPage {
  readonly agentId: string;
  readonly events: readonly ProofEvent[];
  /** One link for each event. */
  readonly chain: readonly { readonly eventId: string; readonly hash: string; readonly previousHash: string }[];
  /** The latest; null before the first. */
  readonly checkpoint: ProofCheckpoint | null;
  readonly hasMore: boolean;
  readonly lastEventId: string | null;
}

/** An event of a page. */
export interface ProofEvent {
  readonly eventId: string;
  readonly sequence: number;
  readonly occurredAt: string;
  /** Base64. */
  readonly payload: string;
}

/** A signed checkpoint of a page. */
export interface ProofCheckpoint {
  readonly size: number;
  /** Hexadecimal. */
  readonly rootHash: string;
  /** Base64. */
  readonly signature: string;
  /** The public key in base58. */
  readonly keyId: string;
  readonly signedAt: string;
}

/** Memory of the key that signs checkpoints. */
export interface KeyMemory {
  /** Returns the key that was seen first; undefined before. */
  read(): string | undefined;
  write(keyId: string): void;
}

/** Difference between an event and its hash or payload. `rehashed`: its hash fits, but the next event follows on another. */
export type Alteration = 'hash' | 'id' | 'agent' | 'time' | 'payload' | 'rehashed';

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
  | { readonly code: 'page_malformed' | 'page_without_progress'; readonly subject: string; readonly page: number }
  | { readonly code: 'page_of_another'; readonly subject: string; readonly page: number; readonly found: string }
  | ({ readonly code: 'event_altered'; readonly what: Alteration } & Place)
  | ({ readonly code: 'event_reordered' | 'event_inserted' } & Place)
  | { readonly code: 'event_missing'; readonly subject: string; readonly first: number; readonly last: number }
  | { readonly code: 'end_missing'; readonly subject: string; readonly events: number; readonly size: number }
  | { readonly code: 'checkpoint_forged'; readonly subject: string; readonly size: number; readonly keyId: string }
  | {
      readonly code: 'checkpoint_key_changed';
      readonly subject: string;
      readonly keyId: string;
      readonly pinned: string;
    }
  | ({ readonly code: 'checkpoint_differs'; readonly signedAt: string } & Place)
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
