import type { Token, TokenGrant } from '../domain/token.js';

/** A token of an agent. */
export interface TokenKey {
  readonly agentId: string;
  readonly tokenId: string;
}

/** Scoped tokens. What is decided about one waits for the lock of the agent's policy, as reservations do. */
export interface TokenStore {
  /**
   * Stores a token and publishes it; the one of this id, if it is there. `check` gets the time of the database.
   * @throws AppError NOT_FOUND when the agent has no policy, POLICY_VIOLATION when too many are live, and what `check` throws
   */
  open(key: TokenKey, check: (nowMs: number) => TokenGrant): Promise<Token>;
  /**
   * Ends a token, voids what its operations wait for and withdraws its proposals, in one step, and publishes that.
   * @returns the operations whose approvals this voided; undefined for a token that is not the agent's
   */
  end(key: TokenKey): Promise<string[] | undefined>;
  /** Lists the live tokens of an agent, the oldest first. */
  list(agentId: string): Promise<Token[]>;
  /**
   * Binds an operation to a token. @returns the token that it has from then on, or had; undefined for a token that is not
   * the agent's
   */
  bind(key: TokenKey, operationId: string): Promise<string | undefined>;
}
