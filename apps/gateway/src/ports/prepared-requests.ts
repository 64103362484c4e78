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
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** Prepared requests of agents, in the database: any replica may execute what another prepared. */
export interface PreparedRequests {
  keep(of: Principal, request: PreparedRequest): Promise<void>;
  /**
   * Returns a request to be executed, and notes that it was: from then on it may be repeated after its end. `expired` for
   * one that was not executed in time; undefined for an id that the principal has not prepared.
   */
  execute(of: Principal, id: string): Promise<PreparedRequest | 'expired' | undefined>;
}
