/** The principal of a request: an agent, and the scoped token that acts for it. */
export interface Principal {
  readonly agentId: string;
  /** Undefined for the sessions of logins, which are one principal. */
  readonly tokenId: string | undefined;
}

/** A request that moves money, prepared and not yet executed. */
export interface PreparedRequest {
  readonly id: string;
  readonly tool: string;
  /** Arguments of the tool, as JSON text. */
  readonly argumentsJson: string;
  /** The quote that was shown, as JSON text; undefined where no price can change it. */
  readonly quoteJson: string | undefined;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** A prepared request that is to be executed. */
export interface Executing {
  readonly request: PreparedRequest;
  /** Whether its key is known: the operation has begun, and a repeat continues it. */
  readonly hasBegun: boolean;
}

/** Prepared requests of agents, in the database: any replica may execute what another prepared. */
export interface PreparedRequests {
  keep(of: Principal, request: PreparedRequest): Promise<void>;
  /**
   * Returns a request to be executed under an idempotency key. Returns `expired` for one that is over and has not begun,
   * `outdated` for one that may have ended so long ago that its key would soon count as new, and undefined for an id that
   * the principal has not prepared.
   */
  execute(of: Principal, id: string, key: string): Promise<Executing | 'expired' | 'outdated' | undefined>;
}
