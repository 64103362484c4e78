/** The end of all sessions of an agent, as far as policy must know it. */
export interface Eviction {
  readonly id: string;
  readonly agentId: string;
  /** Unix milliseconds: what the agent asked for before is void. */
  readonly askedBeforeMs: number;
  /** Scoped tokens whose sessions have ended with it. */
  readonly tokenIds: readonly string[];
}

/** Evictions that policy may not know yet. Each is noted in the transaction that ends the sessions. */
export interface EvictionReports {
  /** Takes evictions whose first report must have failed, each for one caller. */
  takeDue(): Promise<Eviction[]>;
  forget(eviction: Eviction): Promise<void>;
}
