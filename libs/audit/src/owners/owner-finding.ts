import type { Finding, StoredEvent } from '../log/records.js';
import type { OwnerCause } from './cause.js';

/** A finding about an event of an owner, or about one that needs an owner. */
export interface OwnerFinding extends Omit<Finding<OwnerCause>, 'problem'> {
  /** `unsigned`: an owner has not signed it. `unknown`: this version cannot judge it. */
  readonly problem: Finding['problem'] | 'unsigned' | 'unknown';
}

/** Reason why a signature was not verified: its owner's chain was not read, or the browser lacks the algorithm. */
export type Unverified = 'owner_chains' | 'algorithm_unsupported';

/** Events without the signature that they need. */
export interface Changes {
  readonly findings: readonly OwnerFinding[];
  /** Events that a recorded recovery may explain: policy's database may have forgotten why they were not allowed. */
  readonly explained: readonly OwnerFinding[];
}

/** Result of the check of what owners have signed. */
export interface OwnerVerdict extends Changes {
  /** Votes whose signatures were verified. */
  readonly verified: number;
  /** Reasons why signatures of other votes were not: their effects are believed. */
  readonly unverified: readonly Unverified[];
}

/** A vote of an owner without a problem. */
export interface GoodVote {
  /** Event with which it took effect: the vote, or for a claim the end of its delay. */
  readonly event: StoredEvent;
  readonly approvalId: string;
  /** Its request; undefined when that is in another chain. */
  readonly request: StoredEvent | undefined;
  /** Number of its request in the same chain; 0 when that is in another one. */
  readonly requestedAt: number;
  readonly ownerId: string;
  readonly kind: string;
  readonly terms: Readonly<Record<string, unknown>>;
  /** Whether its change is in effect. An operation's vote lets it spend. */
  readonly isApplied: boolean;
}

/** Returns a finding about an event. */
export function findingAt(
  { position, eventId, agentId, sequence }: StoredEvent,
  problem: OwnerFinding['problem'],
  cause: OwnerCause,
): OwnerFinding {
  return { problem, record: 'event', position, eventId, agentId, sequence, cause };
}
