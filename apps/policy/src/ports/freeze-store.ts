import type { Owned } from '../domain/owners/owned.js';

/** A freeze that is in force. */
export interface Freeze {
  /** Undefined for everything. */
  readonly agentId: string | undefined;
  /** Requester of the freeze. */
  readonly operator: string;
  readonly reason: string;
  readonly sinceMs: number;
  /** Whose it is: lifting one leaves the other. */
  readonly source: 'operator' | 'owner';
}

/** An operator's request to freeze or to unfreeze. */
export interface FreezeCommand extends Omit<Freeze, 'sinceMs' | 'source'> {
  readonly frozen: boolean;
}

/** Some of the freezes in force, and how many there are. */
export interface FreezeList {
  readonly freezes: readonly Freeze[];
  readonly total: number;
}

/** Store of freezes. */
export interface FreezeStore {
  /**
   * Sets or lifts a freeze, and publishes an event when that changed anything. Waits for authorizations under way:
   * after the answer none is granted for what is frozen. Undefined when the agent is unknown.
   */
  set(order: FreezeCommand): Promise<{ readonly changed: boolean } | undefined>;
  /** Freezes an agent for its owner, and publishes that. Undefined when the agent is not the owner's. */
  setByOwner(owned: Owned): Promise<{ readonly changed: boolean } | undefined>;
  /** Lists the oldest freezes in force, at most 1,000. */
  list(): Promise<FreezeList>;
}
