import type { ChainCause, Finding as ChainFinding, OwnerFinding, PageCause } from '@agent-wallet/audit';

/** Memory of the key that signs checkpoints. */
export interface KeyMemory {
  /** Returns the key that was seen first; undefined before. */
  read(): string | undefined;
  write(keyId: string): void;
}

/** A problem, as facts. */
export type Finding = ChainFinding<ChainCause | PageCause> | OwnerFinding;

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
  | 'algorithm_unsupported';

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
