/** An agent, by its owner's e-mail address. */
export interface Agent {
  readonly id: string;
  readonly email: string;
  /** Address of its wallet; undefined until it is made. */
  readonly address?: string | undefined;
}

/** A session that is to be opened. */
export interface NewSession {
  /** The token's jti. */
  readonly id: string;
  readonly agentId: string;
  /** Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** What an operator or an owner had done, for the audit log. */
export interface OperatorNote {
  /** Who. */
  readonly operator: string;
  /** Why. */
  readonly reason: string;
}

/** Agents and their sessions. A class, so that it is its own injection token. */
export abstract class SessionStore {
  /** The agent of an e-mail address, made when there is none. */
  abstract agentByEmail(email: string): Promise<Agent>;
  abstract findByEmail(email: string): Promise<Agent | undefined>;
  abstract agentById(agentId: string): Promise<Agent | undefined>;
  abstract rememberAddress(agentId: string, address: string): Promise<void>;
  /**
   * Uses up a claimed code and opens the session it buys, in one step; undefined when the claim was lost.
   * `firstLogin` is true once in an agent's life.
   */
  abstract openWithOtp(
    session: NewSession,
    otp: { readonly otpId: string; readonly claimId: string; readonly email: string; readonly client: string },
  ): Promise<{ readonly firstLogin: boolean } | undefined>;
  /** Ends a session and opens its successor, in one step; false when the old one had ended already. */
  abstract replace(oldSessionId: string, session: NewSession): Promise<boolean>;
  /** Ends a session; false when it had ended already. */
  abstract end(sessionId: string, agentId: string): Promise<boolean>;
  /**
   * Ends the sessions of an agent, or all of them: those, too, that a refresh is about to open. Answers how many it
   * were.
   */
  abstract endAll(agentId: string | undefined, note: OperatorNote): Promise<bigint>;
}
